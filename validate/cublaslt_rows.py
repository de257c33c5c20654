#!/usr/bin/env python3
"""Writes configs/gpus/GPU.cublaslt.csv: every measured problem of cuBLASLt's top heuristic, with tilecast's forecast.

    python3 validate/cublaslt_rows.py h200_sxm --program build/release/tilecast

The forecast of libraries (model/predict/cublaslt.h) reads the file; run this again if the model's
forecasts have changed. One row for each problem and regime: the median over all files of the
measured medians.
"""

import argparse
import collections
import csv
import gzip
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIELDS = ("m", "n", "k", "batch", "dtype", "dtype_c", "layout", "epilogue", "accumulate", "lda", "ldb", "ldc", "regime")
COLUMNS = ("shape", *FIELDS[4:], "time_us", "forecast_us")


def measured(gpu):
    """Returns the measured times by problem and regime."""
    times = collections.defaultdict(list)
    for path in sorted((ROOT / "validate" / "data" / gpu).rglob("*.csv*")):
        with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path)) as file:
            for row in csv.DictReader(file):
                if (row.get("config") == "cublaslt:top1" and row.get("status") == "ok" and row.get("verified") == "1"
                        and not row.get("groups")):
                    times[tuple(row.get(field) or "" for field in FIELDS)].append(float(row["time_us_median"]))
    return {key: statistics.median(values) for key, values in times.items()}


def forecasts(gpu, keys, program):
    """Returns tilecast's times without operand copies, in the order of the keys; None if there is no
    kernel."""
    problems = [{field: int(value) if field in ("lda", "ldb", "ldc") else value
                 for field, value in zip(FIELDS, key) if value} for key in keys]
    done = subprocess.run([program, "predict", "--problems", "-", "--gpu", gpu, "--format", "jsonl"],
                          input="".join(json.dumps(problem) + "\n" for problem in problems), capture_output=True,
                          text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(problems):
        raise SystemExit(done.stderr)
    return [answer["ranking"][0]["time_us"] - answer.get("copies", {}).get("time_us", 0) if "ranking" in answer else None
            for answer in answers]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpu")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "tilecast"))
    options = parser.parse_args()
    times = measured(options.gpu)
    keys = sorted(times, key=lambda key: (*(int(side) for side in key[:3]), *key[3:]))
    lines = [",".join(COLUMNS)]
    for key, ours in zip(keys, forecasts(options.gpu, keys, options.program)):
        if ours is not None:
            shape = (key[3] + "*" if key[3] else "") + "x".join(key[:3])
            lines.append(",".join([shape, *key[4:], f"{times[key]:.6g}", f"{ours:.6g}"]))
    path = ROOT / "configs" / "gpus" / f"{options.gpu}.cublaslt.csv"
    path.write_text(f"# Made by validate/cublaslt_rows.py {options.gpu}: medians of cuBLASLt's top heuristic in "
                    f"validate/data/{options.gpu}, and tilecast's forecasts.\n" + "\n".join(lines) + "\n")
    print(f"{path}: {len(lines) - 1} problems and regimes")


if __name__ == "__main__":
    main()
