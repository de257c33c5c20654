"""Draws the problems of this folder, with the kind of each as a comment: python3 draw.py SEED > problems.jsonl"""

import json
import random
import sys

HIDDEN = (1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192)

draw = random.Random(int(sys.argv[1]))


def layer():
    """N and K of a projection of a decoder layer: attention in and out, gate and up, down."""
    hidden = draw.choice(HIDDEN)
    inner = round(hidden * draw.choice((2.6875, 3, 3.5, 4)) / 128) * 128
    return draw.choice(((hidden, hidden), (round(1.5 * hidden), hidden), (2 * inner, hidden), (hidden, inner)))


def eights(low, high):
    """A multiple of 8, uniform in the logarithm."""
    return max(8, round(low * (high / low) ** draw.random() / 8) * 8)


def problem(kind, m, n, k, layout="tn", dtype=None, **more):
    dtype = dtype or draw.choice(("fp16", "bf16"))
    return kind, {"m": m, "n": n, "k": k, "dtype": dtype, "layout": layout, **more}


def problems():
    for layout in ("tn",) * 8 + ("nn", "nn", "nt", "nt", "tt", "tt"):
        n, k = layer()
        yield problem("layers", draw.choice((512, 1024, 2048, 4096, 8192)), n, k, layout)
    for layout in ("tn",) * 6 + ("nn", "nn"):
        n, k = layer()
        yield problem("hundreds of rows", draw.randrange(130, 1200), n, k, layout)
    for layout in ("tn",) * 5 + ("nn", "tt"):
        yield problem("K of 320 to 2,560", eights(2048, 16384), eights(2048, 16384), eights(320, 2560), layout)
    for layout in ("tn", "tn", "nn", "tt"):
        yield problem("any dimensions", eights(1000, 6000), eights(1000, 6000), eights(1000, 12000), layout)
    for layout in ("tn", "tn", "nn"):
        yield problem("short K", eights(512, 16384), eights(128, 4096), eights(64, 512), layout)
    for layout in ("tn", "nn"):
        yield problem("odd dimensions", *(draw.randrange(500, 5000) | 1 for _ in range(3)), layout)
    for layout in ("tn",) * 3 + ("nn",) * 2 + ("nt",):
        yield problem("batches", eights(64, 2048), eights(64, 2048), eights(64, 1024), layout,
                      batch=draw.choice((4, 8, 16, 32, 64)))
    for layout in ("tn",) * 5 + ("nn",):
        n, k = layer()
        yield problem("decode", draw.choice((1, 8, 16, 32, 48, 64)), n, k, layout)
    for scales in ("scale_tensor",) * 3 + ("scale_row",) * 3:
        n, k = layer()
        yield problem("fp8, tensor or row scales", draw.choice((64, 512, 1024, 2048, 4096, 8192)), n, k,
                      dtype="e4m3", epilogue=scales)
    for _ in range(4):
        n, k = layer()
        yield problem("fp8, block scales", draw.choice((64, 512, 2048, 4096, 8192)), n, k, dtype="e4m3",
                      epilogue="scale_block")


for kind, drawn in problems():
    print(f"# {kind}\n{json.dumps(drawn)}")
