#!/usr/bin/env python3
"""Forecasts the measured decoder layers of validate/data/h200_sxm/decoder_layers, and prints the errors.

Needs the Python package and torch, with or without CUDA:

    PYTHONPATH=python python3 validate/decoder_layers.py [CSV] [--json FILE]

FILE gets the times of all layers and the parts of the compiled layers' time, for the report (reports/h200.yaml).
"""

import argparse
import csv
import json
import pathlib
import statistics

from tilecast.layer import forecast_layer, read_config

LAYERS = pathlib.Path(__file__).parent / "data" / "h200_sxm" / "decoder_layers" / "layers.csv"
MODELS = {"1b": "llama-3.2-1b", "8b": "llama-3-8b"}
NAMES = {"1b": "Llama 3.2 1B", "8b": "Llama 3 8B"}
ABOUT = "layers of Llama 3 8B and Llama 3.2 1B, bf16, torch 2.11, one H200 SXM (700 W)"
IN_ONE_GRAPH = 4  # layers


def forecasts(rows):
    """Yields for each row and regime the forecast and the measured time."""
    for row in rows:
        for regime, column in (("burst", "us_per_layer"), ("sustained", "us_sustained")):
            answer = forecast_layer(read_config(MODELS.get(row["model"], row["model"])), batch=int(row["batch"]),
                                    tokens=int(row["tokens"]), phase=row["phase"], context=int(row["context"]),
                                    mode=row["mode"], regime=regime, repeats=IN_ONE_GRAPH)
            yield row, regime, answer, float(row[column])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", nargs="?", type=pathlib.Path, default=LAYERS)
    parser.add_argument("--json", type=pathlib.Path)
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
    if options.json:
        tables = {"about": ABOUT,
                  "times": {"columns": ["layer", "mode", "regime", "measured_us", "forecast_us"], "rows": times},
                  "parts": {"columns": ["layer", "part", "us"], "rows": parts}}
        options.json.write_text(json.dumps(tables).replace("[[", "[\n[").replace("], [", "],\n[") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
