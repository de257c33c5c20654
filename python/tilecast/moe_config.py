"""Predicts configuration files for vLLM's and SGLang's fused MoE kernel, and for vLLM's block-scaled GEMM.

    python -m tilecast moe-config --experts 128 --top-k 8 --n 384 --k 2048      # file for a MoE layer
    python -m tilecast moe-config --n 4096 --k 7168 --dtype fp8_w8a8 --block-shape 128,128
    python -m tilecast moe-config ... --check 'E=128,N=384,device_name=NVIDIA_H200.json'

Predicts each configuration of the tuners' search space for every batch size, and writes the fastest under the
file name and keys that both servers read. Tokens are routed uniformly. A MoE layer is two GEMMs, gate and up in
the first; activation and sorting of tokens take the same time for every configuration and are not included.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import json
import math
import os
import random
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ._files import read_json, write_file, write_new_file
from ._model import ConfigError
from ._problem import text, within
from .triton import FamilyWarning, Tile, _sm, times_us

# Numbers of tokens that both servers' tuners write to their files.
TOKENS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096)
# Driver names of these GPUs, as used in file names.
DEVICE_NAMES = {"h200_sxm": "NVIDIA_H200", "h100_sxm": "NVIDIA_H100_80GB_HBM3", "h100_pcie": "NVIDIA_H100_PCIe",
                "h800_sxm": "NVIDIA_H800"}
_MOST_EXPERTS = 1024  # limit on the groups of a problem
_MOST_SIDE = (1 << 24) // 2  # gate and up together are at most 2^24 columns, the limit of a GEMM
_MOST_ROWS = 1 << 20  # limit on rows of all experts, which are drawn one by one; servers launch at most about 2^18
_DTYPES = {"fp8": "fp8_w8a8", "e4m3": "fp8_w8a8"}  # names that the other commands take
_KEYS = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages")


@dataclasses.dataclass(frozen=True)
class Layer:
    """A shard of a MoE layer, or one block-scaled GEMM if `experts` is missing.

    n, k           for a MoE layer the intermediate size of a shard and the hidden size; else the sizes of B, [n,k]
    experts, top_k experts of the shard, and experts per token
    dtype          "bf16", "fp16" or "fp8_w8a8"
    block_shape    of fp8's scales, (128, 128), or None for one scale per tensor
    gpu            a name from `tilecast.gpus()`, or the path of a GPU file
    device_name    as used in file names; default from DEVICE_NAMES
    """

    n: int
    k: int
    experts: Optional[int] = None
    top_k: Optional[int] = None
    dtype: str = "bf16"
    block_shape: Optional[tuple[int, int]] = None
    gpu: str = "h200_sxm"
    device_name: Optional[str] = None

    def __post_init__(self):
        if not _sm(self.gpu).wgmma:
            raise ConfigError(f"gpu: these kernels are predicted on Hopper only, not on {self.gpu}")
        for name, most in ("n", _MOST_SIDE), ("k", _MOST_SIDE), ("experts", _MOST_EXPERTS), ("top_k", _MOST_EXPERTS):
            if getattr(self, name) is not None:
                within(name, getattr(self, name), 1, most)
        if (self.experts is None) != (self.top_k is None):
            raise ConfigError("experts and top_k must be given together; omit both for one GEMM")
        if self.experts is not None and self.top_k > self.experts:
            raise ConfigError(f"top_k: expected at most {self.experts}, the number of experts, got {self.top_k}")
        if self.device_name and not re.fullmatch(r"[\w.()+-]+", text("device_name", self.device_name), re.ASCII):
            raise ConfigError(f"device_name: expected letters, digits and any of _.()+-, got {self.device_name!r}")
        if self.dtype not in ("bf16", "fp16", "fp8_w8a8"):
            raise ConfigError(f"dtype: expected bf16, fp16 or fp8_w8a8, got {self.dtype}")
        if self.block_shape not in (None, (128, 128)) or (self.block_shape and self.dtype != "fp8_w8a8"):
            raise ConfigError("block_shape: only 128,128 with dtype fp8_w8a8 is supported")
        if self.experts is None and not self.block_shape:
            raise ConfigError("experts or block_shape must be given: vLLM has no tuned files for other GEMMs")

    def file_name(self) -> str:
        """Returns the file name that vLLM and SGLang look for."""
        # h100 stands for h100_sxm, as in the other commands.
        device = self.device_name or next((device for name, device in DEVICE_NAMES.items()
                                           if f"{name}_".startswith(f"{self.gpu.lower()}_")), None)
        if device is None:
            raise ConfigError(f"device_name: must be given for {self.gpu}: the device name in vLLM's file names, such "
                              "as NVIDIA_H200")
        sides = f"N={self.n},K={self.k}" if self.experts is None else f"E={self.experts},N={self.n}"
        dtype = f",dtype={self.dtype}" if self.dtype == "fp8_w8a8" else ""
        blocks = f",block_shape=[{self.block_shape[0]},{self.block_shape[1]}]" if self.block_shape else ""
        return f"{sides},device_name={device}{dtype}{blocks}.json"

    def times_us(self, tiles: Sequence[Tile], tokens: int) -> list[float]:
        """Returns predicted microseconds of each configuration; infinity for one that cannot be
        launched."""
        within("tokens", tokens, 1, _MOST_ROWS // (self.top_k or 1))
        options = {"dtype": "e4m3" if self.dtype == "fp8_w8a8" else self.dtype, "gpu": self.gpu,
                   "epilogue": "scale_block" if self.block_shape else "none"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FamilyWarning)
            if self.experts is None:
                return times_us(tiles, tokens, self.n, self.k, **options)
            rows = _routed(tokens, self.experts, self.top_k)
            return [up + down for up, down in zip(times_us(tiles, rows, 2 * self.n, self.k, **options),
                                                  times_us(tiles, rows, self.k, self.n, **options))]

    def space(self) -> list[Tile]:
        """Returns the tuners' search space. The kernel clamps BLOCK_SIZE_K to a block of scales."""
        block_k = (64, 128) if self.block_shape else (64, 128, 256)
        return [Tile(*tile, group_m=group, tma=False) for *tile, group in itertools.product(
            (16, 32, 64, 128, 256), (32, 64, 128, 256), block_k, (2, 3, 4, 5), (4, 8), (1, 16, 32, 64))]

    def best(self, tokens: int) -> tuple[Tile, float]:
        """Returns the configuration with the shortest predicted time, and that time in
        microseconds."""
        space = self.space()
        times = self.times_us(space, tokens)
        i = min(range(len(times)), key=times.__getitem__)
        return space[i], times[i]

    def configs(self, tokens: Sequence[int] = TOKENS) -> dict[str, dict[str, int]]:
        """Returns the file's content: the best configuration for each number of tokens."""
        return {str(count): _values(self.best(count)[0]) for count in tokens}


@functools.lru_cache(maxsize=64)
def _routed(tokens: int, experts: int, top_k: int) -> tuple[int, ...]:
    """Draws the rows per expert for tokens that go to `top_k` experts each, uniformly with a fixed
    seed."""
    draw, rows = random.Random(0), [0] * experts
    for _ in range(tokens):
        for expert in draw.sample(range(experts), top_k):
            rows[expert] += 1
    return tuple(rows)


def _values(tile: Tile) -> dict[str, int]:
    return dict(zip(_KEYS, (tile.block_m, tile.block_n, tile.block_k, tile.group_m, tile.num_warps, tile.num_stages)))


def _text(values: Mapping[str, int]) -> str:
    m, n, k, group, warps, stages = (values[key] for key in _KEYS)
    return f"{m}x{n}x{k} group {group} warps {warps} stages {stages}"


def read_configs(path: str) -> dict[int, Tile]:
    """Reads a file's configurations by number of tokens; raises FileError, and ConfigError for
    invalid content."""
    read = read_json(path)
    tuned = {tokens: values for tokens, values in read.items() if tokens.isdecimal()} if isinstance(read, dict) else {}
    if not tuned:
        raise ConfigError(f"{path}: expected one of vLLM's tuned files: a JSON object that maps numbers of "
                          "tokens to configurations")
    found = {}
    for tokens, values in tuned.items():
        try:
            missing = [key for key in _KEYS if not isinstance(values, dict) or key not in values]
            if missing:
                raise ConfigError(f"lacks {', '.join(missing)}")
            found[int(tokens)] = Tile.of({key: values[key] for key in _KEYS}, False, False)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{path}: {tokens}: {error}") from None
    return found


def checked(layer: Layer, tuned: Mapping[int, Tile]) -> str:
    """Returns a table with, for each number of tokens, the file's configuration, tilecast's, and
    tilecast's predicted gain."""
    lines, gains = [f"{'tokens':>6}  {'file us':>9}  {'best us':>9}  {'gain':>7}  file; best"], []
    for tokens, tile in sorted(tuned.items()):
        best, least = layer.best(tokens)
        us = layer.times_us([tile], tokens)[0]
        gain = "no fit" if us == math.inf else f"{100 * (us / least - 1):+.1f} %"
        if us < math.inf:
            gains.append(us / least)
        lines.append(f"{tokens:>6}  {us:>9.2f}  {least:>9.2f}  {gain:>7}  {_text(_values(tile))}; "
                     f"{_text(_values(best))}")
    if gains:
        mean = math.exp(sum(map(math.log, gains)) / len(gains))
        lines.append(f"predicted gain over the file: {100 * (mean - 1):.1f} % (geometric mean)")
    return "\n".join(lines)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n", type=int, required=True,
                        help="intermediate size per shard; without --experts, N of the GEMM")
    parser.add_argument("--k", type=int, required=True, help="hidden size; without --experts, K of the GEMM")
    parser.add_argument("--experts", type=int, help=f"number of experts per shard, at most {_MOST_EXPERTS}")
    parser.add_argument("--top-k", type=int, help="number of experts per token")
    parser.add_argument("--dtype", default="bf16", help="data type: bf16 (default), fp16 or fp8_w8a8")
    parser.add_argument("--block-shape", help="size of the blocks that share an fp8 scale; only 128,128 is supported")
    parser.add_argument("--gpu", default="h200_sxm", help="name of a GPU, or path of a GPU file (default: h200_sxm)")
    parser.add_argument("--device-name", help="device name for the file name (default: derived from --gpu)")
    parser.add_argument("--tokens", type=int, nargs="+", default=TOKENS,
                        help="numbers of tokens to choose configurations for (default: those that vLLM tunes)")
    parser.add_argument("--out", default=".",
                        help="folder to write the file to, created if missing (default: the current folder); "
                             "- for standard output")
    parser.add_argument("--replace", action="store_true", help="overwrite a file of the same name")
    parser.add_argument("--check", metavar="FILE",
                        help="compare the configurations of this tuned file with the predicted best")


def run(options: argparse.Namespace) -> str:
    """Returns the command's output."""
    layer = Layer(options.n, options.k, options.experts, options.top_k, _DTYPES.get(options.dtype, options.dtype),
                  _block_shape(options.block_shape), options.gpu, options.device_name)
    if options.check:
        return checked(layer, read_configs(options.check))
    path = None if options.out == "-" else os.path.join(options.out, layer.file_name())
    refused = ConfigError(f"{path} exists; --replace overwrites it")
    if path and not options.replace and os.path.lexists(path):
        raise refused
    text = json.dumps(layer.configs(options.tokens), indent=4)
    if path is None:
        return text
    if options.replace:
        write_file(path, text + "\n")
    elif not write_new_file(path, text + "\n"):
        raise refused
    return path


def _block_shape(text: Optional[str]) -> Any:
    try:
        return None if text is None else tuple(map(int, text.strip("[]").replace("x", ",").split(",")))
    except ValueError:
        raise ConfigError(f"block_shape: expected two numbers, such as 128,128, got {text!r}") from None
