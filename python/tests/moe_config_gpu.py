"""Measures `moe-config`'s choices for ten MoE layers against a tuner's best of 200 configurations, on a Hopper GPU.

    PYTHONPATH=... python python/tests/moe_config_gpu.py [--out moe_config.csv] [--times moe_times.csv]
    python python/tests/moe_config_gpu.py --summary validate/data/h200_sxm/python/moe_config*.csv

Needs torch with CUDA and Triton. The kernel is a fused MoE kernel like vLLM's, written for this test; layers and
sampled configurations are drawn by seeds. A configuration's time is that of both GEMMs of the layer, without the
activation. Each number of tokens is measured with several random routings in turn, so that weights come from DRAM. The
fastest five of the sample and moe-config's choice are then measured again in turn.
"""

import argparse
import contextlib
import csv
import itertools
import json
import math
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import triton
import triton.language as tl
from tilecast._model import gpu_of

# Shards of public models' layers: (model, experts, n, k, top_k, dtype)
MODELS = [
    ("Mixtral-8x7B TP2", 8, 7168, 4096, 2, "bf16"), ("Mixtral-8x7B TP8", 8, 1792, 4096, 2, "bf16"),
    ("Mixtral-8x22B TP8", 8, 2048, 6144, 2, "bf16"), ("Qwen3-30B-A3B TP1", 128, 768, 2048, 8, "bf16"),
    ("Qwen3-30B-A3B TP2", 128, 384, 2048, 8, "bf16"), ("Qwen3-235B-A22B TP4", 128, 384, 4096, 8, "bf16"),
    ("Qwen2-57B-A14B TP4", 64, 640, 3584, 8, "bf16"), ("DeepSeek-V2-Lite TP1", 64, 1408, 2048, 6, "bf16"),
    ("OLMoE-1B-7B TP1", 64, 1024, 2048, 8, "bf16"), ("Phi-3.5-MoE TP2", 16, 3200, 4096, 2, "bf16"),
    ("Llama-4-Scout TP8", 16, 1024, 5120, 1, "bf16"), ("Granite-3.0-3B-A800M TP1", 40, 512, 1536, 8, "bf16"),
    ("GLM-4.5-Air TP4", 128, 352, 4096, 8, "bf16"), ("Qwen3-Next-80B TP2", 512, 256, 2048, 10, "bf16"),
    ("DBRX TP4", 16, 2688, 6144, 4, "bf16"), ("DeepSeek-V3 TP8", 256, 256, 7168, 8, "fp8_w8a8"),
    ("Kimi-K2 TP16", 384, 128, 7168, 8, "fp8_w8a8"), ("Qwen3-30B-A3B-FP8 TP1", 128, 768, 2048, 8, "fp8_w8a8"),
    ("Qwen3-235B-A22B-FP8 TP4", 128, 384, 4096, 8, "fp8_w8a8"), ("GLM-4.5-FP8 TP4", 160, 384, 5120, 8, "fp8_w8a8")]
LAYERS = random.Random(50).sample(MODELS, 10)
OTHERS = [model for model in MODELS if model not in LAYERS]
TOKENS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096)
KEYS = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages")
SAMPLE = 200


def space(dtype):
    """Returns the tuners' configurations, in the order of KEYS, but for those whose buffers exceed shared memory or
    whose accumulators exceed the registers."""
    fp8 = dtype == "fp8_w8a8"
    every = itertools.product((16, 32, 64, 128, 256), (32, 64, 128, 256), (64, 128) if fp8 else (64, 128, 256),
                              (1, 16, 32, 64), (4, 8), (2, 3, 4, 5))
    return [(m, n, k, group, warps, stages) for m, n, k, group, warps, stages in every
            if (stages if m >= 64 else stages - 1) * k * (m + n) * (1 if fp8 else 2) <= 232448
            and m * n <= 255 * 32 * warps]


def sample(layer):
    return random.Random(f"sample of {layer}").sample(space(layer[-1]), SAMPLE)


@triton.jit(do_not_specialize=["em", "rows", "top_k", "group_m", "stride_asm", "stride_bse", "stride_bsn"])
def fused_moe(a, b, c, a_scale, b_scale, weights, token_ids, expert_ids, padded, n, k, em, rows, top_k, group_m,
              stride_am, stride_be, stride_bn, stride_cm, stride_asm, stride_bse, stride_bsn,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SCALES: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(em, BLOCK_M)
    tiles_n = tl.cdiv(n, BLOCK_N)
    in_group = group_m * tiles_n
    first_m = pid // in_group * group_m
    size_m = min(tiles_m - first_m, group_m)
    pid_m = first_m + pid % in_group % size_m
    pid_n = pid % in_group // size_m
    if pid_m * BLOCK_M >= tl.load(padded):
        return
    token = tl.load(token_ids + pid_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    valid = token < rows
    expert = tl.load(expert_ids + pid_m).to(tl.int64)
    columns = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)) % n
    offs_k = tl.arange(0, BLOCK_K)
    a_at = a + (token // top_k)[:, None] * stride_am + offs_k[None, :]
    b_at = b + expert * stride_be + columns[None, :] * stride_bn + offs_k[:, None]
    if SCALES:
        a_scale_at = a_scale + token // top_k * stride_asm
        b_scale_at = b_scale + expert * stride_bse + columns // 128 * stride_bsn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BLOCK_K)):
        left = k - step * BLOCK_K
        a_tile = tl.load(a_at, mask=valid[:, None] & (offs_k[None, :] < left), other=0.0)
        b_tile = tl.load(b_at, mask=offs_k[:, None] < left, other=0.0)
        if SCALES:
            block = step * BLOCK_K // 128
            a_by = tl.load(a_scale_at + block, mask=valid, other=0.0)
            b_by = tl.load(b_scale_at + block)
            sums += tl.dot(a_tile, b_tile) * a_by[:, None] * b_by[None, :]
        else:
            sums = tl.dot(a_tile, b_tile, sums)
        a_at += BLOCK_K
        b_at += BLOCK_K
    sums *= tl.load(weights + token, mask=valid, other=0.0)[:, None]
    at_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + token[:, None] * stride_cm + at_n[None, :], sums.to(c.dtype.element_ty),
             mask=valid[:, None] & (at_n[None, :] < n))


def compile_one(task):
    """Compiles one binary into Triton's cache, without launching it; returns its shared memory or the error."""
    dtype, (m, n, k, warps, stages) = task
    fp8 = dtype == "fp8_w8a8"
    pointer = torch.float8_e4m3fn if fp8 else torch.bfloat16
    try:
        kernel = fused_moe.warmup(
            pointer, pointer, torch.bfloat16, torch.float32, torch.float32, torch.float32, torch.int32, torch.int32,
            torch.int32, 256, 256, 256, 256, 8, 8, 256, 65536, 256, 256, 2, 4, 2, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k,
            SCALES=fp8, num_warps=warps, num_stages=stages, grid=(1,))
        return task, kernel.metadata.shared
    except Exception as error:
        return task, repr(error)[:200]


class Layer:
    """A layer's weights on the GPU."""

    def __init__(self, layer, device="cuda"):
        self.name, self.experts, self.n, self.k, self.top_k, self.dtype = layer
        self.fp8 = self.dtype == "fp8_w8a8"
        self.device = device
        torch.manual_seed(0)
        self.up = self.tensor(self.experts, 2 * self.n, self.k)
        self.down = self.tensor(self.experts, self.k, self.n)
        self.up_scale = self.scales(self.experts, 2 * self.n, self.k)
        self.down_scale = self.scales(self.experts, self.k, self.n)

    def tensor(self, *sides):
        values = torch.empty(*sides, device=self.device, dtype=torch.bfloat16).normal_()
        return values.to(torch.float8_e4m3fn) if self.fp8 else values

    def scales(self, experts, n, k):
        return torch.rand(experts, -(-n // 128), -(-k // 128), device=self.device) if self.fp8 else torch.empty(
            1, 1, 1, device=self.device)


class Cell:
    """A layer with a number of tokens, and several random routings."""

    def __init__(self, layer, tokens):
        self.layer, self.tokens = layer, tokens
        self.rows = tokens * layer.top_k
        draw = numpy.random.default_rng([tokens, layer.experts, layer.n, layer.k])
        self.routings = [draw.random((tokens, layer.experts)).argpartition(layer.top_k - 1)[:, :layer.top_k].reshape(-1)
                         for _ in range(8 if tokens <= 8 else 4)]
        self.x = layer.tensor(tokens, layer.k)
        self.hidden = layer.tensor(self.rows, layer.n)
        self.x_scale = torch.rand(tokens, -(-layer.k // 128), device=layer.device)
        self.hidden_scale = torch.rand(self.rows, -(-layer.n // 128), device=layer.device)
        self.weights = torch.rand(self.rows, device=layer.device)
        self.up_out = torch.empty(self.rows, 2 * layer.n, device=layer.device, dtype=torch.bfloat16)
        self.down_out = torch.empty(self.rows, layer.k, device=layer.device, dtype=torch.bfloat16)
        self.aligned = {}

    def align(self, block_m):
        """Returns for each routing the rows sorted by expert and padded to block_m, the expert of each block, and the
        number of rows with padding."""
        if block_m not in self.aligned:
            self.aligned[block_m] = [self.padded(routing, block_m) for routing in self.routings]
        return self.aligned[block_m]

    def padded(self, routing, block_m):
        experts = self.layer.experts
        em = self.rows + experts * (block_m - 1)
        if self.tokens < block_m:
            em = min(em, self.rows * block_m)
        em = -(-em // block_m) * block_m
        counts = numpy.bincount(routing, minlength=experts)
        blocks = -(-counts // block_m)
        ids = numpy.full(em, self.rows, dtype=numpy.int32)
        starts = numpy.concatenate(([0], numpy.cumsum(blocks)[:-1])) * block_m
        order = numpy.argsort(routing, kind="stable")
        place = numpy.arange(self.rows) - (numpy.cumsum(counts) - counts)[routing[order]]
        ids[starts[routing[order]] + place] = order
        of_block = numpy.zeros(em // block_m, dtype=numpy.int32)
        of_block[:blocks.sum()] = numpy.repeat(numpy.arange(experts), blocks)
        total = numpy.array([blocks.sum() * block_m], dtype=numpy.int32)
        return em, *(torch.from_numpy(one).to(self.layer.device) for one in (ids, of_block, total))

    def launch(self, config, routing, down):
        m, n, k, group, warps, stages = config
        layer = self.layer
        em, ids, experts, padded = self.align(m)[routing]
        a, b, c, a_scale, b_scale, top_k = (
            (self.hidden, layer.down, self.down_out, self.hidden_scale, layer.down_scale, 1) if down else
            (self.x, layer.up, self.up_out, self.x_scale, layer.up_scale, layer.top_k))
        columns = b.shape[1]
        fused_moe[(em // m * -(-columns // n),)](
            a, b, c, a_scale, b_scale, self.weights, ids, experts, padded, columns, b.shape[2], em, self.rows, top_k,
            group, a.stride(0), b.stride(0), b.stride(1), c.stride(0), a_scale.stride(0), b_scale.stride(0),
            b_scale.stride(1), BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, SCALES=layer.fp8, num_warps=warps, num_stages=stages)

    def wrong(self, config):
        """Returns the largest error of eight rows of either GEMM, relative to the largest value."""
        worst, layer = 0.0, self.layer
        for down in False, True:
            self.launch(config, 0, down)
            a, b, c, a_scale, b_scale, top_k = (
                (self.hidden, layer.down, self.down_out, self.hidden_scale, layer.down_scale, 1) if down else
                (self.x, layer.up, self.up_out, self.x_scale, layer.up_scale, layer.top_k))
            for row in random.Random(0).sample(range(self.rows), min(8, self.rows)):
                expert = int(self.routings[0][row])
                left, right = a[row // top_k].float(), b[expert].float()
                if layer.fp8:
                    left = left * a_scale[row // top_k].repeat_interleave(128)[:left.shape[0]]
                    right = right * b_scale[expert].repeat_interleave(128, 0)[:right.shape[0]].repeat_interleave(
                        128, 1)[:, :right.shape[1]]
                expected = right @ left * self.weights[row]
                worst = max(worst, ((c[row].float() - expected).abs().max() / expected.abs().max()).item())
        return worst

    def times(self, config, routings, cycles):
        """Returns microseconds of either GEMM, a mean over routings."""
        events = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
        torch.cuda._sleep(cycles)  # lets the host run ahead
        events[0].record()
        for down in False, True:
            for routing in routings:
                self.launch(config, routing, down)
            events[1 + down].record()
        torch.cuda.synchronize()
        return [events[i].elapsed_time(events[i + 1]) * 1e3 / len(routings) for i in (0, 1)]


def predicted(layers, gpu):
    """Returns the configurations of moe-config's files, and the seconds that it took on two cores."""
    start, found = time.perf_counter(), {}
    for name, experts, n, k, top_k, dtype in layers:
        words = ["--experts", str(experts), "--top-k", str(top_k), "--n", str(n), "--k", str(k), "--dtype", dtype,
                 "--gpu", gpu, "--out", "-"] + (["--block-shape", "128,128"] if dtype == "fp8_w8a8" else [])
        command = [sys.executable, "-m", "tilecast", "moe-config", *words]
        written = json.loads(subprocess.run(command, check=True, capture_output=True, text=True,
                                           preexec_fn=lambda: os.sched_setaffinity(0, {0, 1})).stdout)
        found[name] = {int(tokens): tuple(values[key] for key in KEYS) for tokens, values in written.items()}
    return found, time.perf_counter() - start


def measure(options, done):
    end = time.monotonic() + options.limit
    layers = OTHERS if options.others else LAYERS
    gpu = "h200_sxm"
    if torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(0)
        gpu = gpu_of(properties.name, properties.multi_processor_count)
    configs, seconds = predicted(layers, gpu)
    print(f"moe-config: {len(layers)} layers on {gpu} in {seconds:.1f} s on two cores", flush=True)
    binaries = sorted({(layer[-1], (m, n, k, warps, stages)) for layer in layers
                       for m, n, k, _, warps, stages in [*sample(layer), *configs[layer[0]].values()]},
                      key=lambda binary: -math.prod(binary[1][:3]))
    if options.dry_run:
        print(len(binaries), "binaries")
        return
    start = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        shared = dict(pool.imap_unordered(compile_one, binaries))
    failed = [text for text in shared.values() if isinstance(text, str)]
    print(f"{len(binaries)} binaries in {time.monotonic() - start:.0f} s, {len(failed)} failed", failed[:3], flush=True)
    most = torch.cuda.get_device_properties(0).shared_memory_per_block_optin

    def able(layer, config):
        m, n, k, _, warps, stages = config
        size = shared[layer[-1], (m, n, k, warps, stages)]
        return not isinstance(size, str) and size <= most

    with contextlib.ExitStack() as stack:
        def table(path, columns):
            file = stack.enter_context(open(path, "w", newline="", encoding="utf-8"))
            rows = csv.writer(file)
            rows.writerow(columns)
            return file, rows

        cells_file, cells = table(options.out, ["layer", "experts", "n", "k", "top_k", "dtype", "tokens", "role",
                                                *KEYS, "up_us", "down_us", "moe_config_s"])
        times_file, times = table(options.times, ["layer", "tokens", *KEYS, "up_us", "down_us"])
        tokens = random.Random(52).sample(TOKENS, len(TOKENS))
        for part in range(0, len(tokens), 6):
            for layer in layers:
                todo = [count for count in tokens[part:part + 6] if (layer[0], str(count)) not in done]
                if not todo or time.monotonic() > end:
                    continue
                on_gpu = Layer(layer)
                for count in todo:
                    if time.monotonic() > end:
                        break
                    cell = Cell(on_gpu, count)
                    for row in of_cell(cell, configs[layer[0]][count],
                                       [config for config in sample(layer) if able(layer, config)]):
                        if len(row) == 3:
                            times.writerow([layer[0], count, *row[0], *(f"{us:.2f}" for us in row[1:])])
                        else:
                            role, config, up, down = row
                            cells.writerow([*layer, count, role, *config, f"{up:.2f}", f"{down:.2f}", f"{seconds:.1f}"])
                    cells_file.flush()
                    times_file.flush()
                del on_gpu
                torch.cuda.empty_cache()
                print(f"{end - time.monotonic():.0f} s left: {layer[0]} {todo}", flush=True)


def of_cell(cell, ours, configs):
    """Yields (config, up_us, down_us) of the sample, then (role, config, up_us, down_us) of ours and the best five."""
    every = range(len(cell.routings))
    error = cell.wrong(ours)
    if error > 0.02:
        raise SystemExit(f"{cell.layer.name}, {cell.tokens} tokens: {ours} is wrong by {error}")
    cell.times(ours, every, 1000)
    start = time.perf_counter()
    for routing in every:
        cell.launch(ours, routing, True)
    host = time.perf_counter() - start
    cycles = int(2 * 1.5 * host * 2e9) + 20_000  # of both GEMMs' launches, and a half more
    torch.cuda.synchronize()
    found, least = [], math.inf
    for config in configs:
        cell.align(config[0])
        up, down = cell.times(config, [0], cycles // 2)
        if up + down < 2 * least + 20:
            up, down = cell.times(config, every, cycles)
            least = min(least, up + down)
        found.append((up + down, config))
        yield config, up, down
    final = [ours] + [config for _, config in sorted(found)[:5]]
    rounds = [[cell.times(config, every, cycles) for config in final] for _ in range(7)]
    for i, config in enumerate(final):
        up, down = (statistics.median(each[i][part] for each in rounds) for part in (0, 1))
        yield "moe_config" if i == 0 else f"sample {i}", config, up, down


def summary(rows):
    cells = {}
    for row in rows:
        cells.setdefault((row["layer"], int(row["tokens"])), []).append(row)
    ratios = {}
    for (layer, tokens), found in cells.items():
        us = {row["role"]: float(row["up_us"]) + float(row["down_us"]) for row in found}
        ratios[layer, tokens] = min(time for role, time in us.items() if role != "moe_config") / us["moe_config"]

    def line(name, values):
        print(f"{name}: {len(values)} numbers of tokens, moe-config's speed relative to the best of {SAMPLE}: "
              f"{statistics.geometric_mean(values):.3f} (worst {min(values):.3f}, "
              f"{sum(value >= 0.97 for value in values)} from 0.97)")

    for layer in dict.fromkeys(layer for layer, _ in ratios):
        line(layer, [ratio for (name, _), ratio in ratios.items() if name == layer])
    for low, high in ((1, 8), (16, 64), (96, 512), (1024, 4096)):
        values = [ratio for (_, tokens), ratio in ratios.items() if low <= tokens <= high]
        if values:
            line(f"{low} to {high} tokens", values)
    if ratios:
        line("all", list(ratios.values()))


def read(paths):
    rows = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="moe_config.csv", help="moe-config's choice and the best five of each sample")
    parser.add_argument("--times", default="moe_times.csv", help="times of all sampled configurations")
    parser.add_argument("--resume", metavar="FILE", nargs="*", default=[],
                        help="files of earlier runs, whose rows are not measured again")
    parser.add_argument("--limit", type=float, default=3600, help="seconds of the whole run")
    parser.add_argument("--others", action="store_true", help="the ten layers that were not drawn")
    parser.add_argument("--dry-run", action="store_true", help="only runs moe-config")
    parser.add_argument("--summary", metavar="FILE", nargs="+", help="prints the summary of runs' files")
    options = parser.parse_args()
    if options.summary:
        summary(read(options.summary))
        return
    measure(options, {(row["layer"], row["tokens"]) for row in read(options.resume)})
    if not options.dry_run:
        summary(read([*options.resume, options.out]))


if __name__ == "__main__":
    main()
