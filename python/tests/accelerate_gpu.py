"""Times decoder layers under plain torch.compile and with tilecast.torch.accelerate, on a Hopper
GPU:

    python python/tests/accelerate_gpu.py [--seconds 480] [--out accelerate.csv] [--profile profiles.csv]

Both run CUDA graphs of equally many layers, which are replayed alternately, in windows under
continuous load. The error is that of one layer's output against the same layer in fp32. `differ` of
ten replays, of torch's graph and of tilecast's, have another result than the first: cuDNN's attention
in decode adds partial sums in any order. The
profile has each kernel's launches and microseconds per layer, in the last third of a second of load.
Finally it times a training step of a layer, and computes the errors of its gradients. Exits with 1 if a bar is
missed: 1.05 for prefill of 4,096 tokens, 1.03 for decode, 1.00 for training, 0.99 for each, and
1.25 of torch's error.
"""

import argparse
import collections
import copy
import csv
import math
import statistics
import sys
import time
import traceback

import torch

import tilecast.torch
from tilecast import _gate_up, layer

MODELS = {"8b": "llama-3-8b", "1b": "llama-3.2-1b"}
CASES = (("prefill", 1, 4096, 0, 1.05), ("decode", 32, 1, 4096, 1.03), ("decode", 128, 1, 2048, 1.03),
         ("training", 1, 4096, 0, 1.00), ("prefill", 1, 512, 0, 0.99), ("decode", 1, 1, 4096, 0.99))
LAYERS, WINDOWS, WINDOW_S = 4, 5, 1.0


def made(config):
    one = layer.decoder_layer(config).to_empty(device="cuda")
    with torch.no_grad():
        for weight in one.parameters():
            weight.normal_(0, weight.shape[-1] ** -0.5) if weight.dim() > 1 else weight.fill_(1)
    return one


def graph_of(run):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph


def window_us(graph, replays):
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for _ in range(replays):
        graph.replay()
    last.record()
    last.synchronize()
    return first.elapsed_time(last) * 1e3 / replays


def alternated(graphs, windows=WINDOWS):
    """Returns medians of microseconds per layer, and of the ratio of adjacent windows."""
    for graph in graphs:
        window_us(graph, 3)
    replays = max(3, int(WINDOW_S * 1e6 / window_us(graphs[0], 3)))
    begin = time.time()
    while time.time() - begin < 0.5:  # reach the clock of continuous load
        window_us(graphs[0], replays)
    times = [[window_us(graph, replays) / LAYERS for graph in graphs] for _ in range(windows)]
    return (*map(statistics.median, zip(*times)), statistics.median(before / after for before, after in times))


def differing(graph, out):
    graph.replay()
    first = out.clone()
    return sum(graph.replay() is None and not torch.equal(out, first) for _ in range(10))


def profiled(graph):
    """Returns launches and microseconds per layer of each kernel under continuous load."""
    replays = int(0.8e6 / window_us(graph, 3))
    window_us(graph, replays)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        window_us(graph, replays)
    events = sorted((one.start_ns(), one.duration_ns(), one.name()) for one in profile.profiler.kineto_results.events()
                    if one.device_type() == torch.autograd.DeviceType.CUDA)
    events = events[len(events) * 2 // 3:]
    busy = collections.defaultdict(list)
    for _, duration, name in events:
        busy[name].append(duration * 1e-3)
    passes = LAYERS * replays / 3
    span = (events[-1][0] - events[0][0]) * 1e-3
    rows = [[name, round(len(one) / passes, 3), round(sum(one) / passes, 3)] for name, one in busy.items()]
    gaps = round((span - sum(map(sum, busy.values()))) / passes, 3)
    return sorted(rows, key=lambda row: -row[2]) + [["(gaps)", 0, gaps]]


def error(found, exact):
    return ((found.float() - exact).norm() / exact.norm()).item()


def random(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


@torch.no_grad()
def measured(config, least, phase, batch, tokens, context, profile):
    """Returns times of torch and of tilecast, their ratio, measured and forecast, errors, the growth
    of memory, and the numbers of replays that differ. Adds kernels to `profile` if it is a list."""
    torch.manual_seed(0)
    layers = [made(config) for _ in range(LAYERS)]
    x, angles = random(batch, tokens, config.hidden), torch.rand(tokens, config.head_dim, device="cuda")
    rest = [angles.cos().bfloat16(), angles.sin().bfloat16()]
    caches = [[random(batch, config.kv_heads, context, config.head_dim) for _ in range(2)] if context else []
              for _ in layers]
    precise = copy.deepcopy(layers[0]).float()
    exact = precise(x.float(), *(one.float() for one in (*rest, *caches[0])))
    del precise

    def compiled():
        torch._dynamo.reset()
        return [torch.compile(one, dynamic=False) for one in layers]

    def run(calls):
        y = x
        for one, cache in zip(calls, caches):
            y = one(y, *rest, *cache)
        return y

    before, outs = compiled(), []
    errors = [error(before[0](x, *rest, *caches[0]), exact)]
    graphs = [graph_of(lambda: outs.append(run(before)))]
    kept = outs[-1:]
    held = torch.cuda.memory_allocated()
    # tilecast's layers get separate weights only because torch's version is timed in the same run.
    layers = copy.deepcopy(layers)
    bytes_of_layers = torch.cuda.memory_allocated() - held
    dones = [tilecast.torch.accelerate(one, x, *rest, *cache) for one, cache in zip(layers, caches)]
    grown = torch.cuda.memory_allocated() - held - bytes_of_layers
    after = compiled()
    errors.append(error(after[0](x, *rest, *caches[0]), exact))
    graphs.append(graph_of(lambda: outs.append(run(after))))
    kept += outs[-1:]
    print(dones[0])
    before, after, ratio = alternated(graphs)
    if profile is not None:
        profile += [[name, *kernel] for name, graph in zip(("torch", "tilecast"), graphs) for kernel in profiled(graph)]
    row = [before, after, ratio, dones[0].total_us / (dones[0].total_us - dones[0].saved_us), *errors,
           grown / bytes_of_layers, *map(differing, graphs, kept)]
    return row, ratio >= least and errors[1] <= 1.25 * errors[0] and row[-3] <= 0.01


def trained(config, least, phase, batch, tokens, context, _):
    """Times a training step of one layer: returns times, their ratio, and the largest error of a
    gradient over torch's own."""
    torch.manual_seed(0)
    layers = [made(config)]
    layers.append(copy.deepcopy(layers[0]))
    precise = copy.deepcopy(layers[0]).float()
    x, of_output = random(1, tokens, config.hidden), random(1, tokens, config.hidden)
    angles = torch.rand(tokens, config.head_dim, device="cuda")
    rest = [angles.cos().bfloat16(), angles.sin().bfloat16()]
    tilecast.torch.accelerate(layers[1], x, *rest)
    graphs, gradients = [], []
    for one in layers:
        torch._dynamo.reset()
        call = torch.compile(one, dynamic=False)

        def step():
            one.zero_grad(set_to_none=True)
            call(x, *rest).backward(of_output)

        graphs.append(graph_of(step))
        graphs[-1].replay()
        gradients.append({name: (_gate_up.halved(weight.grad, True) if name == "gate_up.weight" and
                                 type(one.gate_up) is _gate_up.GateUp else weight.grad).clone()
                          for name, weight in one.named_parameters()})
    precise(x.float(), *(one.float() for one in rest)).backward(of_output.float())
    ratios = [error(gradients[1][name], weight.grad) / max(1e-6, error(gradients[0][name], weight.grad))
              for name, weight in precise.named_parameters()]
    before, after, ratio = alternated(graphs)
    return [before * LAYERS, after * LAYERS, ratio, "", 1.0, max(ratios)], ratio >= least and max(ratios) <= 1.25


def shown(value):
    return value if not isinstance(value, float) else f"{value:.2f}" if value > 5 else f"{value:.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=480, help="no further case is begun afterwards")
    parser.add_argument("--out", help="write the table to this CSV file")
    parser.add_argument("--profile", help="write the kernels' times to this CSV file")
    options = parser.parse_args()
    begin, rows, kernels, missed = time.time(), [], [], 0
    tilecast.matmul(random(64, 64), random(64, 64))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, microseconds per layer")
    line = "{:5} {:8} {:>5} {:>6} {:>7}  {:>9} {:>9} {:>7} {:>8}  {:>8} {:>8} {:>7} {:>6} {:>6} {}"
    titles = ("model", "phase", "batch", "tokens", "context", "torch_us", "us", "ratio", "forecast", "torch_err", "err",
              "memory", "torch_differ", "differ", "")
    print(line.format(*titles), flush=True)
    for *problem, least in CASES:
        for model, name in MODELS.items():
            if time.time() - begin > options.seconds:
                print(f"left out: {model} {problem}")
                continue
            profile = [] if options.profile else None
            try:
                time_case = trained if problem[0] == "training" else measured
                row, good = time_case(layer.read_config(name), least, *problem, profile)
            except Exception as failure:  # continue with the other configurations
                traceback.print_exc()
                row, good = [math.nan] * 3 + [type(failure).__name__], False
            missed += not good
            rows.append([model, *problem, *row] + [""] * (9 - len(row)) + ["" if good else "below the bar"])
            kernels += [[model, *problem, *one] for one in profile or ()]
            print(line.format(*map(shown, rows[-1])), flush=True)
            torch.cuda.empty_cache()
    for path, table in ((options.out, [titles, *rows]),
                        (options.profile, [[*titles[:5], "what", "kernel", "launches", "us"], *kernels])):
        if path:
            with open(path, "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(table)
    print(f"{time.time() - begin:.0f} s, {missed} of {len(rows)} below a bar")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
