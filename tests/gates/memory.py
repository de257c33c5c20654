#!/usr/bin/env python3
"""Tests that memory does not grow with the number of different lists of groups' rows.

  tests/gates/memory.py PACKAGES [--lists 100000]

PACKAGES is the folder that holds the package tilecast. One kernel of a grouped GEMM is forecast for each list. Prints
the process's memory along the way. Exit code 1 if it grows by more than 4 MB after the first tenth.
"""
import argparse
import random
import resource
import sys

AT_ONCE = 100  # lists in one call
MOST_GROWTH = 4.0  # MB; a list kept for ever would take 64 MB per 100,000


def resident() -> float:
    """Returns the process's memory in MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages")
    parser.add_argument("--lists", type=int, default=100_000)
    options = parser.parse_args()
    sys.path.insert(0, options.packages)
    import tilecast  # pylint: disable=import-outside-toplevel

    draw = random.Random(46)

    def problem() -> tilecast.Gemm:
        return tilecast.Gemm([draw.randrange(1, 512) for _ in range(64)], 1024, 512, dtype="bf16")

    config = tilecast.predict(problem())[0].config
    tenth, start = options.lists // 10, 0.0
    for i in range(10):
        for _ in range(0, tenth, AT_ONCE):
            tilecast.rank([problem() for _ in range(AT_ONCE)], [config])
        print(f"{(i + 1) * tenth:>8,} lists {resident():8.1f} MB", flush=True)
        start = start or resident()
    growth = resident() - start
    print(f"grows by {growth:.1f} MB after {tenth:,} lists, at most {MOST_GROWTH:.0f} MB")
    sys.exit(growth > MOST_GROWTH)


main()
