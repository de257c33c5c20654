#!/usr/bin/env python3
"""Compares forecasts with recorded ones, so that a refactoring can show that nothing changed.

  tests/gates/forecasts.py predictions TILECAST   top pick of the 200 problems of problems.csv
  tests/gates/forecasts.py cycles TILECAST        simulated cycles of the 2,000 rows of rows.csv.gz

TILECAST is the program. --record writes its results as the new reference, after an intended change.
Exit code 1 if the time of a pick changes by more than 0.5 %, or if simulated cycles change by more
than 0.1 % in the geometric mean or in any row.
"""
import argparse
import csv
import gzip
import io
import json
import math
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent


def output_of(command: list[str]) -> str:
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not ran.stdout:
        sys.exit(f"forecasts: {' '.join(command)}: exit code {ran.returncode}: {ran.stderr.strip()}")
    return ran.stdout


def predictions(program: str) -> dict[str, tuple[str, float]]:
    """Returns for each problem the top configuration and its time in microseconds."""
    text = output_of([program, "predict", "--problems", str(FOLDER / "problems.csv"), "--format", "csv"])
    return {f"{row['index']} {row['problem']}": (row["config"], float(row["time_us"] or "nan"))
            for row in csv.DictReader(io.StringIO(text))}


def cycles(program: str) -> dict[str, tuple[str, float]]:
    """Returns for each row its configuration, and simulated / measured cycles."""
    text = output_of([program, "validate", "--data", str(FOLDER / "rows.csv.gz"), "--no-correction",
                      "--format", "json", "--worst", "100000"])
    return {" ".join(row[key] for key in ("problem", "regime", "inputs", "l2_state", "config")):
            (row["config"], 1 + row["cycles_error"]) for row in json.loads(text)["worst"]}


def reference(kind: str) -> pathlib.Path:
    return FOLDER / f"{kind}.csv.gz"


def record(kind: str, found: dict[str, tuple[str, float]]) -> None:
    with gzip.GzipFile(reference(kind), "wb", mtime=0) as packed:
        text = io.TextIOWrapper(packed, newline="")
        csv.writer(text, lineterminator="\n").writerows(
            (key, config, value) for key, (config, value) in sorted(found.items()))
        text.flush()


def recorded(kind: str) -> dict[str, tuple[str, float]]:
    with gzip.open(reference(kind), "rt", newline="") as text:
        return {key: (config, float(value)) for key, config, value in csv.reader(text)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["predictions", "cycles"])
    parser.add_argument("program")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    found = (predictions if options.kind == "predictions" else cycles)(program)
    if options.record:
        record(options.kind, found)
        return
    before = recorded(options.kind)
    absent = sorted(before.keys() - found.keys())
    moved = []
    for key in before.keys() & found.keys():
        ratio = found[key][1] / before[key][1]
        if ratio != 1 or found[key][0] != before[key][0]:
            moved.append((abs(math.log(ratio)), ratio, key))
    moved.sort(reverse=True)
    mean = math.exp(sum(math.log(ratio) for _, ratio, _ in moved) / max(1, len(before)))
    picks = sum(found[key][0] != before[key][0] for _, _, key in moved)
    for _, ratio, key in moved[:20]:
        arrow = f" -> {found[key][0]}" if found[key][0] != before[key][0] else ""
        print(f"{100 * (ratio - 1):+8.3f} %  {key}{arrow}")
    for key in absent:
        print(f"  absent  {key}")
    print(f"{options.kind}: {len(before)} compared, {len(moved)} moved, {picks} with another "
          f"configuration, {len(absent)} absent; geometric mean {100 * (mean - 1):+.4f} %, "
          f"largest {100 * (moved[0][1] - 1) if moved else 0:+.3f} %")
    limit = math.log(1.005 if options.kind == "predictions" else 1.001)
    sys.exit(1 if absent or (moved and moved[0][0] > limit) else 0)


if __name__ == "__main__":
    main()
