"""Configuration files for vLLM and SGLang: names and keys follow their conventions, choices are the forecast's."""

import json

import pytest
import tilecast.__main__
from tilecast.moe_config import TOKENS, Layer, _routed, checked, read_configs
from tilecast.triton import Tile

LAYER = Layer(384, 2048, 128, 8)
OPTIONS = ["moe-config", "--n", "384", "--k", "2048", "--experts", "128", "--top-k", "8"]


@pytest.mark.parametrize("layer,name", [
    (LAYER, "E=128,N=384,device_name=NVIDIA_H200.json"),
    (Layer(7168, 4096, 8, 2, "fp8_w8a8", gpu="h100_sxm"), "E=8,N=7168,device_name=NVIDIA_H100_80GB_HBM3,dtype=fp8_w8a8.json"),
    (Layer(256, 7168, 256, 8, "fp8_w8a8", (128, 128)),
     "E=256,N=256,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"),
    (Layer(4096, 7168, dtype="fp8_w8a8", block_shape=(128, 128)),
     "N=4096,K=7168,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"),
    (Layer(384, 2048, 128, 8, device_name="NVIDIA_H20"), "E=128,N=384,device_name=NVIDIA_H20.json")])
def test_files_have_the_names_that_servers_look_for(layer, name):
    assert layer.file_name() == name


def test_a_file_has_a_launchable_configuration_for_each_number_of_tokens(tmp_path, capsys):
    assert tilecast.__main__.main([*OPTIONS, "--out", str(tmp_path)]) == 0
    path = capsys.readouterr().out.strip()
    assert path == str(tmp_path / LAYER.file_name())
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    assert list(map(int, read)) == list(TOKENS)
    assert all(list(one) == ["BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages"]
               for one in read.values())
    # Few rows per expert need tiles with few rows: 16 tokens are 1 row each, 4096 are 256.
    assert read["16"]["BLOCK_SIZE_M"] == 16 and read["4096"]["BLOCK_SIZE_M"] >= 64
    tuned = read_configs(path)
    assert all(LAYER.times_us([tile], tokens)[0] < 1e5 for tokens, tile in tuned.items())
    # Our own file gains nothing.
    assert "predicted gain over the file: 0.0 %" in checked(LAYER, {64: tuned[64], 1024: tuned[1024]})


def test_a_tuned_file_is_compared_and_what_cannot_launch_is_named(tmp_path, capsys):
    path = tmp_path / "tuned.json"
    tile = {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 256, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "num_warps": 8,
            "num_stages": 3}
    path.write_text(json.dumps({"triton_version": "3.6.0", "1": tile, "4096": {**tile, "num_stages": 5}}))
    assert tilecast.__main__.main([*OPTIONS, "--check", str(path)]) == 0
    _, one, many, gain = capsys.readouterr().out.strip().splitlines()
    # A tile of 128 rows for one token; and 5 x (128 + 256) x 64 x 2 bytes are 240 KB of 227.
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
    (["--n", "384", "--k", "2048"], "expected experts, or block_shape"),
    (["--n", "384", "--k", "2048", "--experts", "8"], "experts, top_k: expected both"),
    (["--n", "384", "--k", "2048", "--experts", "8", "--top-k", "9"], "top_k: expected 1 to 8"),
    ([*OPTIONS[1:], "--dtype", "int8_w8a16"], "dtype: expected bf16, fp16 or fp8_w8a8, got int8_w8a16"),
    ([*OPTIONS[1:], "--block-shape", "64,64"], "block_shape: expected 128,128"),
    ([*OPTIONS[1:], "--block-shape", "x"], "block_shape: expected two numbers"),
    ([*OPTIONS[1:], "--gpu", "b200"], "device_name: needed for b200")])
def test_impossible_layers_are_refused_in_one_line(options, words, capsys):
    assert tilecast.__main__.main(["moe-config", *options]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_files_that_are_none_are_refused(tmp_path, capsys):
    bad = tmp_path / "bad.json"
    bad.write_text('{"1": {"BLOCK_SIZE_M": 16}}')
    assert tilecast.__main__.main([*OPTIONS, "--check", str(bad)]) == 2
    assert "bad.json: expected a tuned configuration file of vLLM: block_n" in capsys.readouterr().err
    assert tilecast.__main__.main([*OPTIONS, "--check", str(tmp_path / "none")]) == 6
