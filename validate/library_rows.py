#!/usr/bin/env python3
"""Writes configs/gpus/GPU.LIBRARY.csv: every measured problem of a library's top heuristic, with tilecast's forecast.

    python3 validate/library_rows.py h200_sxm cublaslt --program build/release/tilecast

The library is cublaslt or cudnn. The forecast of libraries (model/predict/library_time.h) reads the
file; run this again if the model's forecasts have changed. One row for each problem and regime: the
median over all files of the measured medians.
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
LIBRARIES = {  # configuration in measured rows; fields before and after the shape's
    "cublaslt": ("cublaslt:top1", ("m", "n", "k", "batch"),
                 ("dtype", "dtype_c", "layout", "epilogue", "accumulate", "lda", "ldb", "ldc")),
    "cudnn": ("cudnn:sdpa", ("batch", "heads", "kv_heads", "m", "n", "k"), ("dtype", "mask", "layout", "lse"))}


def shape_text(library, dims):
    if library == "cudnn":
        batch, heads, kv_heads, *rest = dims
        return "x".join([batch, heads if heads == kv_heads else f"{heads}:{kv_heads}", *rest])
    return (dims[3] + "*" if dims[3] else "") + "x".join(dims[:3])


def measured(gpu, library):
    """Returns the measured times by dimensions, other fields and regime."""
    config, dims, fields = LIBRARIES[library]
    times = collections.defaultdict(list)
    for path in sorted((ROOT / "validate" / "data" / gpu).rglob("*.csv*")):
        with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path)) as file:
            for row in csv.DictReader(file):
                if (row.get("config") == config and row.get("status") == "ok" and row.get("verified") == "1"
                        and not row.get("groups")):
                    times[tuple(row.get(field) or "" for field in (*dims, *fields, "regime"))].append(float(row["time_us_median"]))
    return {key: statistics.median(values) for key, values in times.items()}


def forecasts(gpu, library, keys, program):
    """Returns tilecast's times without operand copies, in the order of the keys; None if there is no
    kernel."""
    _, dims, fields = LIBRARIES[library]
    problems = [{"op": "attention" if library == "cudnn" else "gemm", "shape": shape_text(library, key[:len(dims)]),
                 "regime": key[-1], **{field: int(value) if field.startswith("ld") else value
                                       for field, value in zip(fields, key[len(dims):]) if value}} for key in keys]
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
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "tilecast"))
    options = parser.parse_args()
    gpu, library = options.gpu, options.library
    config, dims, fields = LIBRARIES[library]
    times = measured(gpu, library)
    keys = sorted(times, key=lambda key: (*(int(side or 1) for side in key[:len(dims)]), *key[len(dims):]))
    lines = [",".join(("shape", *fields, "regime", "time_us", "forecast_us"))]
    for key, ours in zip(keys, forecasts(gpu, library, keys, options.program)):
        if ours is not None:
            lines.append(",".join([shape_text(library, key[:len(dims)]), *key[len(dims):], f"{times[key]:.6g}",
                                   f"{ours:.6g}"]))
    path = ROOT / "configs" / "gpus" / f"{gpu}.{library}.csv"
    path.write_text(f"# Made by validate/library_rows.py {gpu} {library}: medians of {config} in validate/data/{gpu}, "
                    "and tilecast's forecasts.\n" + "\n".join(lines) + "\n")
    print(f"{path}: {len(lines) - 1} problems and regimes")


if __name__ == "__main__":
    main()
