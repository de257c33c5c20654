"""Breaks down the forecast time of a decoder layer under torch.compile, and the speedup from
accelerate; needs no GPU:

    python examples/layer.py [--model llama-3-8b] [--tokens 4096] [--trace layer.json]

Needs torch, with or without CUDA. The trace opens in chrome://tracing and Perfetto.
"""

import argparse

import tilecast.torch
import torch
from tilecast import layer

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--model", default="llama-3-8b", help="a known name, or the path of a Hugging Face config.json")
parser.add_argument("--tokens", type=int, default=4096)
parser.add_argument("--trace")
options = parser.parse_args()

config = layer.read_config(options.model)
model = layer.decoder_layer(config)  # any module will do; this one is on the meta device, without weights


def empty(*shape):
    return torch.empty(*shape, device="meta", dtype=torch.bfloat16)


inputs = empty(1, options.tokens, config.hidden), *(empty(options.tokens, config.head_dim) for _ in range(2))
before = tilecast.torch.forecast(model, *inputs, mode="compile", regime="sustained")
print(before)
if options.trace:
    before.write_trace(options.trace)
print()
print(tilecast.torch.accelerate(model, *inputs))
after = tilecast.torch.forecast(model, *inputs, mode="compile", regime="sustained")
print(f"\n{before.total_us:.1f} us, accelerated {after.total_us:.1f} us: {before.total_us / after.total_us:.3f}x")
