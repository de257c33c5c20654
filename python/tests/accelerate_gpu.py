"""Times decoder layers compiled by torch before and after tilecast.torch.accelerate, on a GPU:

    python python/tests/accelerate_gpu.py
"""

import statistics
import time

import torch

import tilecast.torch
from tilecast import layer

LAYERS = 4


def graph_us(layers, x, rest):
    """Microseconds per layer of a CUDA graph under continuous load."""
    def run():
        y = x
        for one in layers:
            y = one(y, *rest)
        return y

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            out = run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    begin = time.time()
    while time.time() - begin < 0.5:
        graph.replay()
        torch.cuda.synchronize()
    times = []
    for _ in range(5):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        for _ in range(20):
            graph.replay()
        last.record()
        last.synchronize()
        times.append(first.elapsed_time(last) * 1e3 / 20 / LAYERS)
    return statistics.median(times), out


@torch.no_grad()
def main():
    for model in ("llama-3.2-1b", "llama-3-8b"):
        config = layer.read_config(model)
        for batch, tokens, context in ((1, 512, 0), (1, 4096, 0), (32, 1, 4096), (128, 1, 2048)):
            def random(*shape):
                return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

            layers = [layer.decoder_layer(config).to_empty(device="cuda").requires_grad_(False) for _ in range(LAYERS)]
            for one in layers:
                for weight in one.parameters():
                    weight.normal_(0, weight.shape[-1] ** -0.5) if weight.dim() > 1 else weight.fill_(1)
            cache = [random(batch, config.kv_heads, context, config.head_dim) for _ in range(2)] if context else []
            x, rest = random(batch, tokens, config.hidden), [random(tokens, config.head_dim) for _ in range(2)] + cache
            torch._dynamo.reset()
            before, expected = graph_us([torch.compile(one, dynamic=False) for one in layers], x, rest)
            for one in layers:
                done = tilecast.torch.accelerate(one, x, *rest)
            torch._dynamo.reset()
            after, found = graph_us([torch.compile(one, dynamic=False) for one in layers], x, rest)
            off = (found.float() - expected.float()).norm() / expected.float().norm()
            print(f"{model} {batch}x{tokens} context {context}: {before:.1f} us, accelerated {after:.1f}, "
                  f"{before / after:.3f}x (forecast {before / (before - done.saved_us):.3f}x), difference {off:.1e}\n{done}",
                  flush=True)


if __name__ == "__main__":
    main()
