"""Draws problems of four kinds of which little or nothing was measured, with the kind of each as a comment:

    python3 draw.py SEED > problems.jsonl

The last six of each kind are the test problems of split.yaml."""

import json
import random
import sys

HIDDEN = (1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192)
MOE = ((7168, 2048), (4096, 7168), (2048, 768), (768, 2048), (5120, 1536), (4096, 14336), (14336, 4096), (2816, 1408))
MOST_OF_C = 500_000_000  # elements of all groups along K
draw = random.Random(int(sys.argv[1]))


def layer():
    """N and K of a projection of a decoder layer: attention in and out, gate and up, down; multiples of 128."""
    hidden = draw.choice(HIDDEN)
    inner = round(hidden * draw.choice((2.6875, 3, 3.5, 4)) / 128) * 128
    return draw.choice(((hidden, hidden), (round(1.5 * hidden), hidden), (2 * inner, hidden), (hidden, inner)))


def routed(tokens, experts):
    """Tokens of each expert: equal shares, or drawn with weights of Zipf's law of exponent 1."""
    if draw.random() < 0.4:
        return [tokens // experts] * experts
    weights = [1 / (1 + rank) for rank in range(experts)]
    draw.shuffle(weights)
    rows = [0] * experts
    for one in draw.choices(range(experts), weights, k=tokens):
        rows[one] += 1
    return rows


def text(rows):
    return "[" + ",".join(map(str, rows)) + "]"


def problems():
    for _ in range(14):
        n, k = layer()
        yield "block scales", {"m": draw.choice((64, 128, 512, 1024, 2048, 4096, 8192)), "n": n, "k": k,
                               "dtype": "e4m3", "layout": "tn", "epilogue": "scale_block"}
    for i in range(18):
        n, k = layer()
        yield "exact sums", {"m": draw.choice((64, 128, 512, 1024, 2048, 4096, 8192)), "n": n, "k": k,
                             "dtype": "e4m3", "layout": "tn", "accumulate": "exact",
                             "epilogue": ("none", "scale_tensor", "scale_row")[i % 3]}
    for _ in range(14):
        m, n = draw.choice(MOE)
        groups = draw.choice((4, 8, 16, 32))
        rows = routed(draw.choice((1024, 2048, 4096, 8192, 16384)), min(groups, MOST_OF_C // (m * n)))
        yield "groups along K", {"shape": f"{m}x{n}x{text(rows)}", "dtype": "bf16", "layout": "nt"}
    for i in range(14):
        n, k = draw.choice(MOE)
        groups = draw.choice((4, 8, 16, 32))
        room = draw.choice((64, 128, 256, 512))
        rows = routed(groups * room // (2 if i % 3 == 2 else 1), groups)
        masked = [str(min(row, room)) for row in rows[:-1]] + [f"{min(rows[-1], room)}/{room}"]
        shape = text(masked if i % 3 == 2 else rows)
        yield "block scales in groups", {"shape": f"{shape}x{n}x{k}", "dtype": "e4m3", "layout": "tn",
                                         "epilogue": "scale_block"}


for kind, drawn in problems():
    print(f"# {kind}\n{json.dumps(drawn)}")
