#!/usr/bin/env python3
"""Times the 60 kernels of kernel_points.csv in two builds, on one GPU.

  tests/gates/kernel_times.py BEFORE AFTER [--out FILE] [--rounds 3]

BEFORE and AFTER are tilecast-gpu programs; each runs from the root of its own tree, the nearest
parent folder with configs/. Rounds alternate between the two, each in a new order. A kernel's ratio
is the median over rounds of its time in AFTER over that in BEFORE. Writes a row per kernel to FILE,
by default kernel_times.csv in $OUT or here. Exit code 1 if the geometric mean differs from 1 by more
than 0.3 %, if a kernel is more than 2 % slower, or if one could not be timed. Takes about five
minutes on an H100.
"""
import argparse
import csv
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

POINTS = pathlib.Path(__file__).resolve().parent / "kernel_points.csv"
KEY = ("m", "n", "k", "dtype", "layout", "config", "dtype_c", "epilogue", "batch", "groups")


def root_of(program: pathlib.Path) -> pathlib.Path:
    for folder in program.parents:
        if (folder / "configs").is_dir():
            return folder
    sys.exit(f"{program}: no folder above it has configs/")


def measure(program: pathlib.Path, gpu: str, out: pathlib.Path, seed: int) -> dict[tuple, dict]:
    """Returns rows by kernel."""
    command = [str(program), "measure", "--gpu", gpu, "--points", str(POINTS), "--out", str(out), "--seed",
               str(seed)]
    ran = subprocess.run(command, cwd=root_of(program), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True)
    if not out.exists():
        sys.exit(f"{' '.join(command)}: exit code {ran.returncode}: {ran.stdout[-2000:]}")
    with open(out, newline="") as file:
        return {tuple(row.get(column) or "" for column in KEY): row for row in csv.DictReader(file)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("before", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("after", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--out", default=os.path.join(os.environ.get("OUT", "."), "kernel_times.csv"))
    parser.add_argument("--gpu", default="h200_sxm", help="as of tilecast-gpu measure")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.rounds):
            pair = {}
            for name in ("before", "after") if i % 2 == 0 else ("after", "before"):
                out = pathlib.Path(folder) / f"{name}_{i}.csv"
                pair[name] = measure(getattr(options, name), options.gpu, out, seed=i + 1)
            rounds.append(pair)
    failed, ratios = [], []
    with open(options.out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*KEY, "before_us", "after_us", "ratio", "cycles_ratio", "registers_before",
                         "registers_after"])
        for kernel in rounds[0]["before"]:
            pairs = [(pair["before"].get(kernel), pair["after"].get(kernel)) for pair in rounds]
            bad = [row for pair in pairs for row in pair if row is None or row["status"] != "ok"]
            if bad:
                failed.append((kernel, bad[0] and f"{bad[0]['status']}: {bad[0]['reason']}"))
                continue

            def middle(column: str) -> float:
                return statistics.median(float(after[column]) / float(before[column])
                                         for before, after in pairs)

            before, after = pairs[0]
            times = [statistics.median(float(pair[side]["time_us_median"]) for pair in pairs)
                     for side in (0, 1)]
            ratios.append((middle("time_us_median"), kernel))
            writer.writerow([*kernel, *(f"{time:.3f}" for time in times), f"{ratios[-1][0]:.5f}",
                             f"{middle('cycles'):.5f}", before["registers"], after["registers"]])
    for kernel, why in failed:
        print("not timed:", " ".join(kernel), why)
    if not ratios:
        sys.exit("no kernel was timed")
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in ratios))
    slower = sorted((pair for pair in ratios if pair[0] > 1.02), reverse=True)
    for ratio, kernel in slower:
        print(f"slower: {ratio:.4f}", " ".join(kernel))
    print(f"{len(ratios)} kernels, after over before: geometric mean {mean:.5f}, slowest "
          f"{max(ratios)[0]:.4f}, fastest {min(ratios)[0]:.4f}; {options.out}")
    sys.exit(1 if failed or slower or abs(math.log(mean)) > math.log(1.003) else 0)


main()
