"""Tests configuration files for vLLM and SGLang: names and keys follow their conventions, and
choices follow the forecast."""

import json
import os
import stat
import subprocess
import sys

import pytest
import tilecast.__main__
from tilecast.moe_config import TOKENS, Layer, _routed, checked, read_configs
from tilecast.triton import Tile

LAYER = Layer(384, 2048, 128, 8)
OPTIONS = ["moe-config", "--n", "384", "--k", "2048", "--experts", "128", "--top-k", "8"]


@pytest.mark.parametrize("layer,name", [
    (LAYER, "E=128,N=384,device_name=NVIDIA_H200.json"),
    (Layer(7168, 4096, 8, 2, "fp8_w8a8", gpu="h100_sxm"),
     "E=8,N=7168,device_name=NVIDIA_H100_80GB_HBM3,dtype=fp8_w8a8.json"),
    (Layer(256, 7168, 256, 8, "fp8_w8a8", (128, 128)),
     "E=256,N=256,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"),
    (Layer(4096, 7168, dtype="fp8_w8a8", block_shape=(128, 128)),
     "N=4096,K=7168,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"),
    (Layer(384, 2048, 128, 8, device_name="NVIDIA_H20"), "E=128,N=384,device_name=NVIDIA_H20.json")])
def test_files_have_the_names_that_servers_look_for(layer, name):
    assert layer.file_name() == name


def test_words_of_the_other_commands_are_taken(tmp_path, capsys):
    assert tilecast.__main__.main([*OPTIONS, "--dtype", "fp8", "--block-shape", "128x128", "--gpu", "h100", "--tokens",
                                   "16", "--out", str(tmp_path)]) == 0
    assert os.listdir(tmp_path) == [
        "E=128,N=384,device_name=NVIDIA_H100_80GB_HBM3,dtype=fp8_w8a8,block_shape=[128,128].json"]


def test_a_file_has_a_launchable_configuration_for_each_number_of_tokens(tmp_path, capsys):
    assert tilecast.__main__.main([*OPTIONS, "--out", str(tmp_path)]) == 0
    path = capsys.readouterr().out.strip()
    assert path == str(tmp_path / LAYER.file_name())
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    assert list(map(int, read)) == list(TOKENS)
    assert all(list(one) == ["BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages"]
               for one in read.values())
    # Few rows per expert need tiles with few rows: 16 tokens give 1 row per expert, 4096 tokens
    # give 256.
    assert read["16"]["BLOCK_SIZE_M"] == 16 and read["4096"]["BLOCK_SIZE_M"] >= 64
    tuned = read_configs(path)
    assert all(LAYER.times_us([tile], tokens)[0] < 1e5 for tokens, tile in tuned.items())
    # tilecast's choices have no gain over a file that tilecast wrote.
    assert "predicted gain over the file: 0.0 %" in checked(LAYER, {64: tuned[64], 1024: tuned[1024]})


def test_a_file_is_overwritten_only_with_replace_and_as_a_whole(tmp_path, capsys, monkeypatch):
    options = [*OPTIONS, "--tokens", "1", "--out", str(tmp_path / "new")]
    path = tmp_path / "new" / LAYER.file_name()
    assert tilecast.__main__.main(options) == 0
    path.write_text("tuned")
    path.chmod(0o640)
    assert tilecast.__main__.main(options) == 2 and path.read_text() == "tuned"
    assert f"{path} exists; --replace overwrites it" in capsys.readouterr().err
    # Another process may write it while this one predicts.
    with monkeypatch.context() as patched:
        patched.setattr(os.path, "lexists", lambda path: False)
        assert tilecast.__main__.main(options) == 2 and path.read_text() == "tuned"
    # The disk is full.
    with monkeypatch.context() as patched:
        def full(descriptor):
            raise OSError(28, "No space left on device")
        patched.setattr(os, "fsync", full)
        assert tilecast.__main__.main([*options, "--replace"]) == 6 and path.read_text() == "tuned"
    assert "cannot write: No space left on device" in capsys.readouterr().err
    assert tilecast.__main__.main([*options, "--replace"]) == 0 and list(json.loads(path.read_text())) == ["1"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 and os.listdir(path.parent) == [path.name]
    # A link counts as a file of that name. --replace replaces its target, as the program does.
    (tmp_path / "target").write_text("tuned")
    path.unlink()
    path.symlink_to(tmp_path / "target")
    assert tilecast.__main__.main(options) == 2 and (tmp_path / "target").read_text() == "tuned"
    assert tilecast.__main__.main([*options, "--replace"]) == 0 and path.is_symlink()
    assert list(json.loads((tmp_path / "target").read_text())) == ["1"]


@pytest.mark.parametrize("redirect, code, words", [
    ("> /dev/full", 6, "tilecast moe-config: standard output: cannot write: No space left on device\n"),
    ("| true", 0, "")])
def test_output_that_cannot_be_written_is_one_line(redirect, code, words):
    command = " ".join([sys.executable, "-m", "tilecast", *OPTIONS, "--tokens", "1", "--out", "-", redirect])
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, words)


def test_a_tuned_file_is_compared_and_what_cannot_launch_is_named(tmp_path, capsys):
    path = tmp_path / "tuned.json"
    tile = {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 256, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "num_warps": 8,
            "num_stages": 3}
    path.write_text(json.dumps({"triton_version": "3.6.0", "1": tile, "4096": {**tile, "num_stages": 5}}))
    assert tilecast.__main__.main([*OPTIONS, "--check", str(path)]) == 0
    _, one, many, gain = capsys.readouterr().out.strip().splitlines()
    # A tile of 128 rows serves one token; and 5 x (128 + 256) x 64 x 2 bytes need 240 KB of the 227
    # KB available.
    assert one.split()[0] == "1" and float(one.split()[3]) > 5
    assert many.split()[0] == "4096" and "no fit" in many
    assert gain.startswith("predicted gain over the file: ")


def test_tokens_go_to_different_experts():
    assert _routed(1, 8, 8) == (1,) * 8 and sum(_routed(512, 64, 6)) == 3072
    assert _routed(512, 64, 6) == _routed(512, 64, 6) and max(_routed(512, 64, 6)) < 100


def test_blocks_of_k_do_not_exceed_a_block_of_scales():
    assert max(tile.block_k for tile in Layer(256, 7168, 256, 8, "fp8_w8a8", (128, 128)).space()) == 128
    assert Tile(64, 128, 256, 2, 4, 1, tma=False) in LAYER.space() and len(LAYER.space()) == 1920


@pytest.mark.parametrize("options,words", [
    (["--n", "384", "--k", "2048"], "experts or block_shape must be given"),
    (["--n", "384", "--k", "2048", "--experts", "8"], "experts and top_k must be given together"),
    (["--n", "384", "--k", "2048", "--experts", "8", "--top-k", "9"], "top_k: expected at most 8"),
    (["--n", "384", "--k", "2048", "--experts", "8", "--top-k", "0"], "top_k: expected 1 to 1024, got 0"),
    ([*OPTIONS[1:], "--dtype", "int8_w8a16"], "dtype: expected bf16, fp16 or fp8_w8a8, got int8_w8a16"),
    ([*OPTIONS[1:], "--block-shape", "64,64"], "block_shape: only 128,128"),
    ([*OPTIONS[1:], "--block-shape", "x"], "block_shape: expected two numbers"),
    (["--n", "384", "--k", "2048", "--experts", "2000", "--top-k", "8"], "experts: expected 1 to 1024, got 2000"),
    ([*OPTIONS[1:], "--n", "-384"], "n: expected 1 to 8388608, got -384"),
    ([*OPTIONS[1:], "--k", "0"], "k: expected 1 to 8388608, got 0"),
    ([*OPTIONS[1:], "--tokens", "0"], "tokens: expected 1 to 131072, got 0"),
    ([*OPTIONS[1:], "--tokens", "100000000"], "tokens: expected 1 to 131072, got 100000000"),
    ([*OPTIONS[1:], "--device-name", "a\x1b[31mb"], "device_name: expected letters, digits and any of _.()+-"),
    ([*OPTIONS[1:], "--device-name", "../a"], "device_name: expected letters"),
    ([*OPTIONS[1:], "--check", "a\x1b[31m\nb"], "a\\x1b[31m\\nb: cannot read"),
    ([*OPTIONS[1:], "--gpu", "nope"], "unknown GPU 'nope'"),
    ([*OPTIONS[1:], "--gpu", "b200"], "gpu: these kernels are predicted on Hopper only, not on b200"),
    ([*OPTIONS[1:], "--gpu", "a100_sxm80"], "gpu: these kernels are predicted on Hopper only, not on a100_sxm80")])
def test_impossible_layers_are_refused_in_one_line(options, words, tmp_path, capsys):
    assert tilecast.__main__.main(["moe-config", *options, "--out", str(tmp_path)]) in (2, 6)
    assert not os.listdir(tmp_path)
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1 and "\x1b" not in error


def test_files_that_are_none_are_refused(tmp_path, capsys):
    bad = tmp_path / "bad.json"
    tile = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1, "num_warps": 4}
    for content, why in (
            ({"1": {"BLOCK_SIZE_M": 16}}, "1: lacks BLOCK_SIZE_N, BLOCK_SIZE_K"), ({"1": tile}, "1: lacks num_stages"),
            ({"1": {**tile, "num_stages": -3}}, "1: num_stages: expected an integer from 1 to 2147483647, got -3"),
            ({"1": {**tile, "num_stages": 3, "BLOCK_SIZE_M": 2**80}}, "1: block_m: expected an integer"),
            ({"1": {**tile, "num_stages": 3, "BLOCK_SIZE_M": True}}, "1: block_m: expected an integer"),
            ({"1": 3}, "1: lacks BLOCK_SIZE_M"), ({"1": None}, "1: lacks BLOCK_SIZE_M"),
            ({}, "expected one of vLLM's tuned files"), ([], "expected one of vLLM's tuned files"),
            ({"triton_version": "3.6.0"}, "expected one of vLLM's tuned files")):
        bad.write_text(json.dumps(content))
        assert tilecast.__main__.main([*OPTIONS, "--check", str(bad)]) == 2
        assert f"bad.json: {why}" in capsys.readouterr().err
    for text in ("", "[" * 100000, '{"1": 1' + "0" * 5000 + "}"):
        bad.write_text(text)
        assert tilecast.__main__.main([*OPTIONS, "--check", str(bad)]) == 2
        assert "bad.json: expected JSON: " in capsys.readouterr().err
    assert tilecast.__main__.main([*OPTIONS, "--check", str(tmp_path / "none")]) == 6
