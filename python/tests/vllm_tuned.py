"""Ranks the tiles of vLLM's tuned files for an H200 by predicted time, and prints where the tuned ones stand.

    pip download --no-deps vllm==0.33.0 && unzip -q vllm-*.whl '*configs/*NVIDIA_H200*.json' -d vllm
    PYTHONPATH=... python python/tests/vllm_tuned.py vllm

Nothing is fitted to the files of MoE layers; three costs of block-scaled layers are (docs/dev/notebook/triton.md).
"""

import argparse
import collections
import math
import pathlib
import re
import statistics

from tilecast.moe_config import Layer, read_configs

BLOCK = (128, 128)
# Hidden size and experts per token of a file's model by E and N, and for block scales where it is another model.
# Files of models that are not known are skipped.
MODELS = {
    **{(8, n): (4096, 2) for n in (14336, 7168, 3584, 1792)},  # Mixtral 8x7B
    **{(8, n): (6144, 2) for n in (8192, 4096, 2048)},  # Mixtral 8x22B
    **{(64, n): (3584, 8) for n in (2560, 1280, 640, 320)},  # Qwen2-57B-A14B
    **{(16, n): (5120, 1) for n in (2048, 1024)}, (128, 1024): (5120, 1),  # Llama 4 Scout, Maverick
    **{(128, n): (2048, 8) for n in (768, 384, 192, 96)},  # Qwen3-30B-A3B
    **{(512, n): (2048, 10) for n in (512, 256, 128, 64)},  # Qwen3-Next-80B-A3B
    (160, 192): (5120, 8)}  # GLM-4.5
MODELS_OF_BLOCKS = {(128, 768): (4096, 8), (128, 384): (4096, 8),  # Qwen3-235B-A22B
                    (256, 256): (7168, 8), (32, 2048): (7168, 8), (384, 128): (7168, 8)}  # DeepSeek-V3, Kimi K2


def layer_of(name):
    """Returns the layer that a file's name describes; None for one that is not predicted or of an unknown model."""
    found = re.fullmatch(r"(?:E=(\d+),)?N=(\d+),(?:K=(\d+),)?device_name=NVIDIA_H200"
                         r"(,dtype=fp8_w8a8)?(,block_shape=\[128,128\])?\.json", name)
    if not found:
        return None
    experts, n, k = (int(text) if text else None for text in found.groups()[:3])
    dtype, block = "fp8_w8a8" if found[4] else "bf16", BLOCK if found[5] else None
    if experts is None:
        return Layer(n, k, dtype=dtype, block_shape=block)
    model = (MODELS_OF_BLOCKS if block else MODELS).get((experts, n))
    return model and Layer(n, model[0], experts, model[1], dtype, block)


def placed(layer, tokens, tuned):
    """Returns the rank of a tuned tile (BLOCK_M, BLOCK_N, BLOCK_K) in vLLM's search space by predicted time, from 0
    (infinity for a tile outside the space), and how much longer the tuned configuration's predicted time is than the
    shortest, as a fraction."""
    tiles = layer.space()
    times = layer.times_us(tiles, tokens)
    ranks = {}
    for _, tile in sorted(zip(times, tiles), key=lambda one: one[0]):
        ranks.setdefault((tile.block_m, tile.block_n, tile.block_k), len(ranks))
    more = layer.times_us([tuned], tokens)[0] / min(times) - 1
    return ranks.get((tuned.block_m, tuned.block_n, tuned.block_k), math.inf), more


def kind_of(layer, tokens):
    """Returns a row's first two columns in the table: layers, and rows of an expert or of the problem."""
    kind = "bf16" if layer.dtype == "bf16" else "fp8, block scales" if layer.block_shape else "fp8"
    if layer.experts is None:
        return f"dense, {kind}", "1 to 64" if tokens <= 64 else "over 64"
    rows = tokens * layer.top_k / layer.experts
    return f"MoE, {kind}", "below 16" if rows < 16 else "16 to 127" if rows < 128 else "128 and more"


ROWS = ("128 and more", "16 to 127", "below 16", "over 64", "1 to 64")


def table(folder):
    """Returns the table over all files below a folder, and the names of the files that were skipped."""
    kinds, skipped = collections.defaultdict(list), []
    for path in sorted(pathlib.Path(folder).rglob("*device_name=NVIDIA_H200*.json"), key=lambda one: one.name):
        layer = layer_of(path.name)
        if layer is None:
            skipped.append(path.name)
            continue
        for tokens, tuned in read_configs(str(path)).items():
            kinds[kind_of(layer, tokens)].append(placed(layer, tokens, tuned))
    lines = ["| layers | rows | tuned | first | of the first four | predicted loss (median) |",
             "|---|---|--:|--:|--:|--:|"]
    for (kind, rows), found in sorted(kinds.items(), key=lambda one: (one[0][0], ROWS.index(one[0][1]))):
        first, four = (sum(place < count for place, _ in found) for count in (1, 4))
        loss = statistics.median(more for _, more in found)
        lines.append(f"| {kind} | {rows} | {len(found)} | {100 * first / len(found):.0f} % | "
                     f"{100 * four / len(found):.0f} % | {100 * loss:.1f} % |")
    return "\n".join(lines), skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="holds vLLM's files, at any depth")
    lines, skipped = table(parser.parse_args().folder)
    print(lines)
    print(f"skipped: {', '.join(skipped) or 'none'}")


if __name__ == "__main__":
    main()
