"""Writes README.md's tables of fp8 with fast and exact accumulation. From the repository's root:

    python3 validate/data/h100_sxm/fp8_exact/table.py
"""

import collections
import csv
import gzip
import json
import math
import pathlib
import statistics
import subprocess

ROWS = pathlib.Path(__file__).with_name("speed.csv.gz")
CUBLASLT = "cublaslt:top1"


def tile(config):
    """A configuration by its schedule, tile, warpgroups and cluster."""
    schedule, _, rest = config.partition(":")
    fields = dict(field.split("=") for field in rest.split(","))
    words = [schedule, fields["tile"].removesuffix("x128")]
    letters = {"warpgroups": "w", "cluster": "c"}
    words += [letter + fields[name] for name, letter in letters.items() if name in fields]
    return " ".join(words)


def forecast(shape, accumulate, config):
    command = ["./tilecast", "predict", shape, "--gpu", "h100_sxm", "--dtype", "e4m3"]
    command += ["--accumulate", accumulate, "--config", config, "--format", "json"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(out)["ranking"][0]["time_us"]


def geomean(values):
    return math.exp(statistics.mean(math.log(value) for value in values))


times, errors = collections.defaultdict(list), {}
with gzip.open(ROWS, "rt") as rows:
    for row in csv.DictReader(rows):
        assert row["status"] == "ok" and row["verified"] == "1"
        shape = f"{row['m']}x{row['n']}x{row['k']}"
        times[shape, row["accumulate"], row["config"]].append(float(row["time_us_median"]))
        whose = "cuBLASLt" if row["config"] == CUBLASLT else "ours"
        error = float(row["max_error"])
        of_all = (int(row["k"]), shape, row["accumulate"], whose)
        errors[of_all] = max(error, errors.get(of_all, 0))
times = {key: statistics.median(rounds) for key, rounds in times.items()}

shapes = list(dict.fromkeys(shape for shape, _, _ in times))
ratios = collections.defaultdict(list)
print("| product | fast: ours | cuBLASLt | | exact: ours | forecast | tile | cuBLASLt | "
      "| exact over fast: ours | cuBLASLt |")
print("|---|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|")
for shape in shapes:
    best, library = {}, {}
    for accumulate in ("fast", "exact"):
        ours = {config: time for (s, a, config), time in times.items()
                if (s, a) == (shape, accumulate) and config != CUBLASLT}
        best[accumulate] = min(ours, key=ours.get), min(ours.values())
        library[accumulate] = times[shape, accumulate, CUBLASLT]
        ratios[accumulate].append(library[accumulate] / best[accumulate][1])
    config, exact = best["exact"]
    ratios["ours"].append(exact / best["fast"][1])
    ratios["cublaslt"].append(library["exact"] / library["fast"])
    predicted = forecast(shape, "exact", config)
    print(f"| {shape} | {best['fast'][1]:.1f} | {library['fast']:.1f} | {ratios['fast'][-1]:.3f}"
          f" | {exact:.1f} | {predicted:.1f} | {tile(config)} | {library['exact']:.1f}"
          f" | {ratios['exact'][-1]:.3f} | {ratios['ours'][-1]:.3f} | {ratios['cublaslt'][-1]:.3f} |")
print(f"| geometric mean | | | {geomean(ratios['fast']):.3f} | | | | | {geomean(ratios['exact']):.3f}"
      f" | {geomean(ratios['ours']):.3f} | {geomean(ratios['cublaslt']):.3f} |")

print("\n| K | product | fast: ours | cuBLASLt | exact: ours | cuBLASLt |\n|--:|---|--:|--:|--:|--:|")
for k, shape in sorted({(k, shape) for k, shape, _, _ in errors}):
    numbers = [errors[k, shape, accumulate, whose]
               for accumulate in ("fast", "exact") for whose in ("ours", "cuBLASLt")]
    print(f"| {k:,} | {shape} | " + " | ".join(f"{100 * number:.2f} %" for number in numbers) + " |")

print("\n| product | schedule | measured | forecast | |\n|---|---|--:|--:|--:|")
for (shape, accumulate, config), time in times.items():
    if accumulate == "exact" and config.startswith("ping_pong"):
        predicted = forecast(shape, accumulate, config)
        off = 100 * (predicted / time - 1)
        print(f"| {shape} | {tile(config)} | {time:.1f} | {predicted:.1f} | {off:+.0f} % |")
