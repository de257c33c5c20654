"""Compile times and speed of torch.compile(mode="max-autotune") with and without tilecast.inductor, on a Hopper GPU.

    PYTHONPATH=... python python/tests/inductor_gpu.py [--problems 24] [--exhaustive 3] [--top-k 4] [--out inductor.csv]
    python python/tests/inductor_gpu.py --summary validate/data/h200_sxm/python/inductor_within.csv

Needs torch 2.11 or later with CUDA and Triton, and tilecast with its compiled module; `matmul` needs libtilecast
(TILECAST_LIBRARY). Each variant has its own process, which compiles every problem with empty caches; the variants
alternate problem by problem, in an order drawn by a seed, so that the results of a run that was cut short are a sample.
`--resume` continues such a run. A search that is still running after `--limit` seconds is recorded with the time that
it had taken. Times of the compiled code are medians of 30 runs with operands cold in L2. `phases` are torch's own
seconds of the stages of a compilation; `--choices` writes the times that Inductor measured of each choice.
"""

import argparse
import csv
import json
import math
import os
import random
import select
import statistics
import subprocess
import sys
import time

# (op, m, n, k); bmm has the batch size before m
PROBLEMS = [(op, *sides) for sides in (
    (16, 4096, 4096), (64, 7168, 2048), (128, 4096, 14336), (512, 2048, 2048), (1024, 6144, 4096), (2048, 2048, 8192),
    (4096, 4096, 4096), (8192, 5120, 5120), (8192, 8192, 8192), (3000, 2000, 1000)) for op in ("mm", "addmm")] + [
    ("bmm", 32, 1024, 1024, 128), ("bmm", 64, 256, 256, 512), ("bmm", 8, 2048, 2048, 1024), ("bmm", 128, 128, 4096, 64)]
# Backends, and options of tilecast.inductor.enable.
WAYS = {"all": ("ATEN,TRITON", None), "tilecast": ("ATEN,TRITON", {"matmul": False}),
        "tilecast_matmul": ("ATEN,TRITON", {"matmul": True}),
        "triton": ("TRITON", None), "triton_tilecast": ("TRITON", {"matmul": False}),
        "exhaustive_tilecast": ("TRITON", {"matmul": False, "exhaustive": True}),
        # A search that ends: the part of the space that is predicted to be fastest.
        "exhaustive_150": ("TRITON", {"matmul": False, "exhaustive": True, "top_k": 150, "within": math.inf}),
        "exhaustive": ("TRITON", None)}


def serve(way, top_k):
    """Runs in a variant's process: reads one problem per line and prints a row of JSON."""
    import torch
    from torch._dynamo.utils import compilation_time_metrics, counters
    from torch._inductor import config, select_algorithm
    from torch._inductor.utils import fresh_cache

    backends, options = WAYS[way]
    config.max_autotune_gemm_backends = backends
    config.autotune_fallback_to_aten = False
    if way.startswith("exhaustive"):
        config.max_autotune_gemm_search_space = "EXHAUSTIVE"
        config.precompilation_timeout_seconds = 3600
    measured = {}  # Inductor's microseconds by choice
    select_algorithm.add_feedback_saver(lambda timings, *_: measured.update(
        (f"{choice.name} {getattr(choice, 'description', '')}", 1e3 * ms) for choice, ms in timings.items()))
    if options is not None:
        import tilecast.inductor
        tilecast.inductor.enable(**{"top_k": top_k, **options})
    ones = torch.ones(64, device="cuda")
    torch.compile(torch.add)(ones, ones)  # starts the compiler's processes
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def answer(op, *batch, m, n, k):
        def tensor(*sides):
            return torch.randn(*batch, *sides, device="cuda", dtype=torch.bfloat16)

        a, b = tensor(m, k), tensor(n, k).mT
        arguments = (torch.randn(n, device="cuda", dtype=torch.bfloat16), a, b) if op == "addmm" else (a, b)
        product = getattr(torch, op)
        expected = product(*arguments)
        torch.compiler.reset()
        counters.clear()
        compilation_time_metrics.clear()
        measured.clear()
        with fresh_cache(), torch.no_grad():
            torch.cuda.synchronize()
            start = time.perf_counter()
            code = torch.compile(product, mode="max-autotune-no-cudagraphs")
            out = code(*arguments)
            torch.cuda.synchronize()
            seconds = time.perf_counter() - start
            assert torch.allclose(out.float(), expected.float(), rtol=0.05, atol=0.05 * math.sqrt(k))
            time.sleep(0.5)  # the benchmarks of fewer choices heat the GPU less, which affects its clock
            times = []
            for _ in range(30):
                flush.zero_()
                torch.cuda._sleep(200_000)  # lets the host run ahead
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                code(*arguments)
                end.record()
                torch.cuda.synchronize()
                times.append(begin.elapsed_time(end) * 1e3)
        phases = {name: round(sum(times), 3) for name, times in compilation_time_metrics.items() if sum(times) > 0.02}
        return {"compile_s": seconds, "time_us": statistics.median(times), "counters": dict(counters["tilecast"]),
                "phases": phases, "choices": dict(measured)}

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # keeps torch's output out of the answers
    for line in sys.stdin:
        op, *batch, m, n, k = json.loads(line)
        try:
            row = answer(op, *batch, m=m, n=n, k=k)
        except Exception as error:  # continue with the next problem
            row = {"compile_s": math.nan, "time_us": math.nan, "counters": {"error": repr(error)[:300]}}
        print(json.dumps(row), file=answers, flush=True)


class Way:
    """Runs one variant of the settings in its own process."""

    def __init__(self, name, top_k):
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", name, "--top-k", str(top_k)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measured(self, problem, seconds):
        """Returns a row without a time if the problem takes longer, and None if the process has ended."""
        if self.process.poll() is not None:
            return None
        print(json.dumps(problem), file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.process.kill()
            return {"compile_s": seconds, "time_us": math.nan, "counters": {"unfinished": 1}}
        line = self.process.stdout.readline()
        return json.loads(line) if line else None


def summary(rows, ours, theirs):
    by = {(str(row["problem"]), row["way"]): row for row in rows}
    pairs = [(by[key, ours], by[key, theirs]) for key, way in by if way == ours and (key, theirs) in by]
    pairs = [[{name: float(row[name]) for name in ("time_us", "compile_s")} for row in pair] for pair in pairs]
    pairs = [(one, other) for one, other in pairs if not math.isnan(one["time_us"] + other["time_us"])]
    if not pairs:
        return f"{ours} and {theirs}: nothing to compare"
    speeds = [other["time_us"] / one["time_us"] for one, other in pairs]
    compiling = sum(one["compile_s"] for one, _ in pairs) / sum(other["compile_s"] for _, other in pairs)
    return (f"{ours} / {theirs}: {len(pairs)} problems, compile time {compiling:.3f}, speed "
            f"{statistics.geometric_mean(speeds):.4f} (worst {min(speeds):.3f})")


def print_summaries(rows):
    for pair in (("tilecast", "all"), ("tilecast_matmul", "all"), ("triton_tilecast", "triton"),
                 ("exhaustive_tilecast", "exhaustive_150"), ("exhaustive_tilecast", "exhaustive")):
        print(summary(rows, *pair))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=len(PROBLEMS))
    parser.add_argument("--skip", type=int, default=0, help="number of problems to skip at the start of the order")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY",
                        help=f"variants to measure: {', '.join(WAYS)} (default: all)")
    parser.add_argument("--exhaustive", type=int, default=3, help="problems of the EXHAUSTIVE space (minutes each)")
    parser.add_argument("--top-k", type=int, default=4)
    parser.add_argument("--out", default="inductor.csv")
    parser.add_argument("--choices", metavar="FILE", help="writes Inductor's time of each choice")
    parser.add_argument("--resume", metavar="FILE", nargs="*", default=[],
                        help="files of earlier runs, whose rows are not measured again")
    parser.add_argument("--limit", type=float, default=3600, help="seconds of the whole run")
    parser.add_argument("--dry-run", action="store_true", help="prints the problems and variants")
    parser.add_argument("--summary", metavar="FILE", nargs="+", help="prints the summaries of runs' files")
    parser.add_argument("--serve", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.top_k)
        return
    if options.summary:
        print_summaries(read(options.summary))
        return
    end = time.monotonic() + options.limit
    order = list(PROBLEMS)
    random.Random(50).shuffle(order)
    tasks = [(problem, way) for problem in order[options.skip:options.problems] for way in WAYS
             if not way.startswith("exhaustive")]
    # The full search last, since one may take the rest of the time.
    tasks += [(problem, way) for ways in (("exhaustive_tilecast", "exhaustive_150"), ("exhaustive",))
              for problem in (PROBLEMS[20], PROBLEMS[8], PROBLEMS[12])[:options.exhaustive] for way in ways]
    done = {(row["problem"], row["way"]) for row in read(options.resume) if "unfinished" not in row["counters"]}
    tasks = [(problem, way) for problem, way in tasks if way in options.ways and (str(problem), way) not in done]
    if options.dry_run:
        print(*tasks, sep="\n")
        return
    rows, ways = [], {way: Way(way, options.top_k) for way in dict.fromkeys(way for _, way in tasks)}
    with open(options.out, "w", newline="", encoding="utf-8") as file, \
            open(options.choices or os.devnull, "w", newline="", encoding="utf-8") as choices_file:
        table = csv.DictWriter(file, ["problem", "way", "compile_s", "time_us", "counters", "phases"],
                               extrasaction="ignore")
        table.writeheader()
        choices = csv.writer(choices_file)
        choices.writerow(["problem", "way", "choice", "time_us"])
        for problem, way in tasks:
            left = end - time.monotonic()
            row = ways[way].measured(problem, left) if left > 10 else None
            # Other variants do not search all configurations, so their time is no lower bound on a search.
            if row is None or ("unfinished" in row["counters"] and way != "exhaustive"):
                continue
            rows.append({"problem": problem, "way": way, **row})
            table.writerow(rows[-1])
            choices.writerows((problem, way, *one) for one in row.get("choices", {}).items())
            file.flush()
            choices_file.flush()
            print(problem, way, row["compile_s"], row["time_us"], row["counters"], flush=True)
    print_summaries(rows)


def read(paths):
    rows = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return rows


if __name__ == "__main__":
    main()
