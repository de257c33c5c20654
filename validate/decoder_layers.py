#!/usr/bin/env python3
"""Forecasts the measured decoder layers of validate/data/h200_sxm/decoder_layers, and prints the errors of
their times, and of the parts of compiled layers that take over 5 %.

Needs the Python package and torch, with or without CUDA:

    PYTHONPATH=python python3 validate/decoder_layers.py [CSV] [--json FILE] [--page]

FILE gets the times of all layers and the parts of the compiled layers' time, for the report (reports/h200.yaml).
--page writes these errors, and the speedups of accelerate that were measured, to docs/layers.md.
"""

import argparse
import csv
import itertools
import json
import math
import pathlib
import statistics

from accuracy import filled
from tilecast.layer import forecast_layer, read_config

LAYERS = pathlib.Path(__file__).parent / "data" / "h200_sxm" / "decoder_layers" / "layers.csv"
PROFILES = LAYERS.with_name("profiles.csv")
SPEEDUPS = LAYERS.with_name("accelerate.csv")
PAGE = pathlib.Path(__file__).parent.parent / "docs" / "layers.md"
MODELS = {"1b": "llama-3.2-1b", "8b": "llama-3-8b"}
NAMES = {"1b": "Llama 3.2 1B", "8b": "Llama 3 8B"}
ABOUT = "layers of Llama 3 8B and Llama 3.2 1B, bf16, torch 2.11, one H200 SXM (700 W)"
IN_ONE_GRAPH = 4  # layers
LEAST_SHARE = 0.05  # of a part that is compared


def forecast_of(row, **options):
    return forecast_layer(read_config(MODELS.get(row["model"], row["model"])), batch=int(row["batch"]),
                          tokens=int(row["tokens"]), phase=row["phase"], context=int(row["context"]),
                          repeats=IN_ONE_GRAPH, **options)


def forecasts(rows):
    """Yields for each row and regime the forecast and the measured time."""
    for row in rows:
        for regime, column in (("burst", "us_per_layer"), ("sustained", "us_sustained")):
            yield row, regime, forecast_of(row, mode=row["mode"], regime=regime), float(row[column])


def name_of(row):
    name = NAMES.get(row["model"], row["model"])
    if row["phase"] == "prefill":
        return f"{name}, prefill, {int(row['batch']) * int(row['tokens']):,} tokens"
    return f"{name}, decode, batch {row['batch']}"


def parts_of(forecast):
    """Returns the microseconds of each part of a layer."""
    parts = dict.fromkeys(("GEMM", "attention", "elementwise"), 0.0)
    for row in forecast:
        parts[{"gemm": "GEMM", "attention": "attention"}.get(row.kind, "elementwise")] += row.time_us
    return {**parts, "launches": forecast.launch_us}


def matched(gemms, rows):
    """Returns the forecast GEMMs of each measured (kernel, launches, microseconds): of all ways to give each
    kernel as many as it was launched, that with the smallest sum of errors. A profile does not name them."""
    def ways(gemms, rows):
        if not gemms:
            yield 0.0, []
            return
        _, launches, us = gemms[0]
        for own in itertools.combinations(rows, launches):
            error = abs(math.log(sum(row.time_us for row in own) / us))
            for rest, others in ways(gemms[1:], [row for row in rows if all(row is not one for one in own)]):
                yield error + rest, [own, *others]

    return min(ways(gemms, rows), key=lambda way: way[0])[1]


def profiled_parts(profile):
    """Yields for each profiled layer its name, and (part, forecast, measured) of attention and of each GEMM, in
    microseconds; GEMMs of one kernel name are one part. Profiles run at another clock than the layers that were
    timed, so their sum, gaps included, is scaled to the time. cuBLASLt's reductions are shared equally among its
    kernels that split K."""
    layers = {}
    for row in profile:
        layers.setdefault(tuple(row[key] for key in list(row)[:6]), []).append(row)
    for rows in layers.values():
        total = float(rows[0]["us_sustained"])
        scale = total / sum(float(row["us"]) for row in rows)
        layer = forecast_of(rows[0], mode="compile", regime="sustained")
        kernels = [(row["kernel"], round(float(row["launches"])), scale * float(row["us"])) for row in rows]
        split = sum(launches for name, launches, _ in kernels if "splitK_" in name)
        reductions = sum(us for name, _, us in kernels if "splitKreduce" in name)
        gemms = [(name, launches, us + (launches * reductions / split if "splitK_" in name else 0))
                 for name, launches, us in kernels if name.startswith("nvjet")]
        parts = [("attention", sum(row.time_us for row in layer if row.kind == "attention"),
                  sum(us for name, _, us in kernels if name.startswith("cudnn")))]
        for (_, _, us), own in zip(gemms, matched(gemms, [row for row in layer if row.kind == "gemm"])):
            parts.append((" + ".join(f"mm {row.shape}" for row in own), sum(row.time_us for row in own), us))
        yield name_of(rows[0]), [part for part in parts if part[2] >= LEAST_SHARE * total]


def print_parts():
    """Prints the errors of the parts relative to the mean of the profiles, and returns them."""
    found, errors = {}, []
    with open(PROFILES, encoding="utf-8") as file:
        for layer, parts in profiled_parts(list(csv.DictReader(file))):
            for part, forecast, measured in parts:
                found.setdefault((layer, part, forecast), []).append(measured)
    for (layer, part, forecast), times in found.items():
        measured = statistics.mean(times)
        errors.append(abs(forecast / measured - 1))
        print(f"{layer:<38} {part:<66} {measured:>8.1f} us {forecast:>8.1f} {100 * (forecast / measured - 1):>+6.1f} %")
    print(f"{len(errors)} parts of over {100 * LEAST_SHARE:.0f} %: mean {100 * statistics.mean(errors):.1f} %, worst "
          f"{100 * max(errors):.1f} %, {sum(error <= 0.12 for error in errors)} within 12 %")
    return errors


def speedup_table():
    """Returns the speedups of python/tests/accelerate_gpu.py, those that accelerate forecast next to them."""
    cases = {}
    with open(SPEEDUPS, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cases.setdefault((row["phase"], *(int(row[key]) for key in ("batch", "tokens", "context"))), {})[row["model"]] = row
    lines = ["| phase | Llama 3 8B, measured | forecast | Llama 3.2 1B, measured | forecast |", "|---|--:|--:|--:|--:|"]
    for (phase, batch, tokens, context), found in cases.items():
        of = (f"{batch} sequence{'s' * (batch > 1)}, {context:,} keys" if phase == "decode" else
              f"{tokens:,} tokens" + ", one layer's step" * (phase == "training"))
        numbers = [found.get(model, {}).get(key) for model in ("8b", "1b") for key in ("ratio", "forecast")]
        lines.append(f"| {phase}, {of} | " + " | ".join(f"{float(one):.3f}" if one else "" for one in numbers) + " |")
    return "\n".join(lines)


def error_table(errors, covered, parts):
    names = {"burst": "bursts", "sustained": "continuous load", "compile": "compiled"}
    lines = ["| error of the time per layer | mean | worst |", "|---|--:|--:|"]
    for (regime, mode), values in errors.items():
        lines.append(f"| {names[regime]}, {names.get(mode, mode)} | {100 * statistics.mean(values):.1f} % | "
                     f"{100 * max(values):.1f} % |")
    lines += ["", f"{100 * statistics.mean(covered):.0f} % of the measured times are inside the 90 % interval. "
              f"{sum(part <= 0.12 for part in parts)} of {len(parts)} parts",
              f"of over 5 % of seven profiled layers are within 12 % (mean {100 * statistics.mean(parts):.1f} %, worst "
              f"{100 * max(parts):.1f} %)."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", nargs="?", type=pathlib.Path, default=LAYERS)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    errors, covered, times, parts = {}, [], [], []
    with open(options.csv, encoding="utf-8") as file:
        for row, regime, answer, measured in forecasts(list(csv.DictReader(file))):
            error = answer.total_us / measured - 1
            errors.setdefault((regime, row["mode"]), []).append(abs(error))
            times.append([name_of(row), row["mode"], regime, round(measured, 2), round(answer.total_us, 2)])
            if (row["mode"], regime) == ("compile", "sustained"):
                parts += [[name_of(row), part, round(us, 2)] for part, us in parts_of(answer).items()]
            covered.append(answer.interval_us[0] <= measured <= answer.interval_us[1])
            print(f"{row['model']:>4} {row['phase']:<8} {row['batch']:>4} x {row['tokens']:>5} {row['mode']:<8} {regime:<10}"
                  f"{measured:>9.1f} us {answer.total_us:>9.1f} {100 * error:>+6.1f} %  {answer[0].operation} "
                  f"{answer[0].shape}", flush=True)
    for (regime, mode), values in errors.items():
        print(f"{regime:<10} {mode:<8} mean {100 * statistics.mean(values):.1f} %, worst {100 * max(values):.1f} %")
    print(f"{100 * statistics.mean(covered):.0f} % inside the 90 % interval")
    of_parts = print_parts()
    if options.page:
        text = filled(PAGE.read_text(encoding="utf-8"), "speedups", speedup_table() + "\n")
        PAGE.write_text(filled(text, "errors", error_table(errors, covered, of_parts) + "\n"), encoding="utf-8")
    if options.json:
        tables = {"about": ABOUT,
                  "times": {"columns": ["layer", "mode", "regime", "measured_us", "forecast_us"], "rows": times},
                  "parts": {"columns": ["layer", "part", "us"], "rows": parts}}
        options.json.write_text(json.dumps(tables).replace("[[", "[\n[").replace("], [", "],\n[") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
