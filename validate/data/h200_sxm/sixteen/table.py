"""Prints the results by kind, and each problem where cuBLASLt's best of 16 heuristics is ahead by over 2 %:

    python3 table.py [FOLDER OF ROWS] [PATH OF cublasLt.h]

A kernel's time is the geometric mean of its rows. Ratios are speeds over cuBLASLt's.
"""

import collections
import csv
import gzip
import json
import pathlib
import re
import statistics
import sys

FOLDER = pathlib.Path(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).resolve().parent)
FIELDS = ("m", "n", "k", "dtype", "layout", "batch", "epilogue")


def rows(name):
    path = FOLDER / f"{name}.csv.gz"
    if path.exists():
        with gzip.open(path, "rt") as lines:
            yield from csv.DictReader(lines)


def key(problem):
    texts = [str(problem.get(field, "") or "") for field in FIELDS]
    return tuple("" if text == "none" else text for text in texts)


def problems():
    kind = ""
    for line in (FOLDER / "problems.jsonl").read_text().splitlines():
        if line.startswith("#"):
            kind = line[2:]
        else:
            yield kind, key(json.loads(line))


def tables(header):
    text = pathlib.Path(header).read_text()
    return [{int(v): n for n, v in re.findall(word + r"_(\d+x\w+)\s*=\s*(\d+)", text)}
            for word in ("CUBLASLT_MATMUL_TILE", "CUBLASLT_CLUSTER_SHAPE")]


def theirs(reason, names):
    """cuBLASLt computes C^T by columns: its tile and cluster are turned to M x N, as tilecast's."""
    tiles, clusters = names
    chosen = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", reason)}
    turned = lambda text: "x".join(text.split("x")[1::-1])
    number = re.match(r"choice (\d+)", reason).group(1)
    return (f"#{number} {turned(tiles.get(chosen['tile'], '?x?'))} "
            f"c{turned(clusters.get(chosen['cluster'], '1x1'))}" + f" k{chosen['splitk']}" * (chosen["splitk"] > 1))


def ours(config):
    schedule, choices = config.split(":", 1)
    value = dict(choice.split("=") for choice in choices.split(","))
    return " ".join([schedule, value["tile"], "c" + value.get("cluster", "1x1"), f"k{value.get('splits', 1)}",
                     value.get("operands", ""), value.get("store", "")]).replace(" k1 ", " ").rstrip()


class Kernel:
    def __init__(self, measured):
        mean = lambda column: statistics.geometric_mean([float(r[column]) for r in measured])
        self.us, self.kcycles, self.ghz = mean("time_us_median"), mean("cycles") / 1e3, mean("sm_clock_mhz") / 1e3
        watts = [float(r["power_w"]) for r in measured if r.get("power_w")]
        self.joules = f", {statistics.mean(watts) * self.us / 1e3:.1f} mJ" if watts else ""
        self.reason = measured[0]["reason"]

    def text(self):
        return f"{self.us:.2f} us, {self.kcycles:.1f} kcycles, {self.ghz:.3f} GHz{self.joules}"


def kernels(names):
    """Kernels by problem and configuration; one skipped because it equals another has that one's times."""
    found, same = collections.defaultdict(lambda: collections.defaultdict(list)), []
    for name in names:
        for row in rows(name):
            if row["status"] == "ok":
                found[key(row)][row["config"]].append(row)
            elif other := re.match(r"is identical to (\S+) ", row["reason"]):
                same.append((key(row), row["config"], other.group(1)))
    by_config = {problem: {config: Kernel(own) for config, own in by.items()} for problem, by in found.items()}
    for problem, config, other in same:
        by_config[problem][config] = by_config[problem][other]
    return by_config


def summary(values):
    return f"{statistics.geometric_mean(values):.3f} ({min(values):.3f})" if values else ""


names = tables(sys.argv[2] if sys.argv[2:] else "/usr/local/cuda/include/cublasLt.h")
firsts = {(row["regime"], int(row["problem"])): row["config"] for row in rows("forecast") if row["rank"] == "1"}
for regime, files in (("burst", ("bursts",)), ("sustained", ("sustained",))):
    measured, ratios, behind = kernels(files), collections.defaultdict(list), []
    for number, (kind, problem) in enumerate(problems()):
        own = measured.get(problem, {})
        library = {config: kernel for config, kernel in own.items() if config.startswith("cublaslt:")}
        mine = {config: kernel for config, kernel in own.items() if config not in library}
        first = mine.get(firsts[regime, number])
        if first is None or len(library) < 2:
            continue
        config = min(mine, key=lambda c: mine[c].us)
        best, choice = mine[config], min(library.values(), key=lambda k: k.us)
        top = library["cublaslt:top1"].us
        values = (top / first.us, top / best.us, choice.us / best.us, best.us / first.us)
        for group in (kind, "all" if kind != "odd dimensions" else ""):
            ratios[group].append(values)
        if values[2] < 0.98:
            behind.append((values[2], values[0], problem, config, best, choice))
    if not ratios:
        continue
    print(f"\n{regime}\n\n| problems | | top pick / top heuristic | best / top heuristic | best / best of 16 heuristics | "
          "top pick / best |\n|---|--:|--:|--:|--:|--:|")
    for kind, values in ratios.items():
        if kind:
            print(f"| {kind} | {len(values)} | " + " | ".join(summary(column) for column in zip(*values)) + " |")
    print("\n| problem | best / best of 16 heuristics; top pick / top heuristic | tilecast | cuBLASLt's |\n|---|--:|---|---|")
    for ratio, top, (m, n, k, dtype, layout, batch, epilogue), config, best, choice in sorted(behind, key=lambda b: b[0]):
        print(f"| {f'{batch} of ' * bool(batch)}{m}x{n}x{k} {dtype} {layout} {epilogue} | {ratio:.3f}; {top:.3f} | "
              f"{ours(config)}: {best.text()} | {theirs(choice.reason, names)}: {choice.text()} |")
