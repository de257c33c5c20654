"""Writes README.md's table: problems where cuBLASLt's first choice or best of 16 is ahead of our best
measured kernel by more than 1 %, what it chose, and what that does which ours does not.

    python3 behind.py [PATH OF cublasLt.h] < README.md > NEW.md

Reads the rows of this data set since 2026-11-23 of plain products, without `cards`, whose kernels are
points of a plan. Ours and cuBLASLt's are compared within a file and card; of several the one where
ours is furthest ahead counts. cuBLASLt computes C^T by columns: its tile is turned to ours, M x N.
"""

import collections
import csv
import gzip
import math
import pathlib
import re
import statistics
import sys

SMS = 132
SHORT = {"warp_specialized": "ws", "ping_pong": "pp", "persistent_overlap": "po", "persistent": "pe",
         "pipelined": "pi", "blocked": "bl", "blocked_pipelined": "bp", "split_k": "sp",
         "stream_k": "sk", "stream_k_hybrid": "skh", "split_k_hybrid": "sph"}
FOLDER = pathlib.Path(__file__).resolve().parent


def tables(header):
    text = pathlib.Path(header).read_text()
    find = lambda word: {int(v): n for n, v in re.findall(word + r"_(\d+x\w+)\s*=\s*(\d+)", text)}
    return find("CUBLASLT_MATMUL_TILE"), find("CUBLASLT_MATMUL_STAGES"), find("CUBLASLT_CLUSTER_SHAPE")


def groups():
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(FOLDER.parent.glob("**/*.csv.gz")):
        name = str(path.relative_to(FOLDER.parent))
        if name.startswith(("cards/", "results/", "epilogues/", "fp8_scaled/", "grouped")):
            continue
        with gzip.open(path, "rt") as rows:
            for row in csv.DictReader(rows):
                if (row.get("date", "") >= "2026-11-23" and row.get("status") == "ok"
                        and row.get("op") == "gemm" and row.get("epilogue", "") in ("", "none")
                        and row.get("groups", "") in ("", "1")):
                    bits = 8 if row["dtype"].startswith("e") else 16
                    batch = row.get("batch", "") or "1"
                    key = (batch, row["m"], row["n"], row["k"], bits, row["layout"],
                           row.get("lda", ""), row["regime"], row["l2_state"])
                    found[key, name, row["gpu_uuid"]][row["config"]].append(row)
    return found


def median(rows, column="time_us_median"):
    values = [float(r[column]) for r in rows if r.get(column)]
    return statistics.median(values) if values else 0.0


class Kernel:
    def __init__(self, rows, tile, cluster, parts, streamed=False, name=""):
        self.us, self.cycles = median(rows), median(rows, "cycles") / 1e3
        self.ghz, self.watts = median(rows, "sm_clock_mhz") / 1e3, median(rows, "power_w")
        self.tile, self.cluster, self.parts, self.streamed, self.name = tile, cluster, parts, streamed, name

    def waste(self, m, n, products):
        """Sums that the busiest SM has over its share of C, less 1."""
        (tm, tn), waves = self.tile, self.waves(m, n, products)
        busiest = waves if self.streamed else math.ceil(waves)
        return busiest * SMS * tm * tn / self.parts / (m * n * products) - 1

    def waves(self, m, n, products):
        return math.ceil(m / self.tile[0]) * math.ceil(n / self.tile[1]) * products * self.parts / SMS

    def intake(self):
        """Elements from L2 for a sum and a step of K."""
        (tm, tn), (cm, cn) = self.tile, self.cluster
        return (tm / cn + tn / cm) / (tm * tn)

    def text(self):
        joules = f", {self.watts * self.us / 1e3:.1f} mJ" if self.watts else ""
        return f"{self.name}; {self.us:.2f} us, {self.cycles:.1f} kcycles, {self.ghz:.3f} GHz{joules}"


def ours_of(config, rows):
    schedule, choices = config.split(":", 1)
    value = dict(c.split("=") for c in choices.split(","))
    tm, tn, _ = (int(s) for s in value["tile"].split("x"))
    cm, cn = (int(s) for s in value.get("cluster", "1x1").split("x"))
    swapped = value.get("operands") == "swapped"
    parts = int(value.get("splits", 1)) if not schedule.endswith("hybrid") else 1
    name = f"{SHORT[schedule]} {tm}x{tn} c{cm}x{cn}" + (f" k{parts}" if parts > 1 else "") + " x" * swapped
    turned = ((tn, tm), (cn, cm)) if swapped else ((tm, tn), (cm, cn))
    return Kernel(rows, *turned, parts, "min_k_blocks" in value or schedule.endswith("hybrid"), name)


def theirs_of(rows, names):
    tiles, stages, clusters = names
    chosen = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", rows[0]["reason"])}
    n, m = (int(s) for s in tiles[chosen["tile"]].split("x"))
    cn, cm, _ = (int(s) for s in clusters.get(chosen["cluster"], "1x1x1").split("x"))
    parts = chosen["splitk"]
    depth = stages.get(chosen["stages"], "?").split("x")[0]
    which = re.match(r"choice (\d+)", rows[0]["reason"]).group(1)
    return Kernel(rows, (m, n), (cm, cn), parts,
                  name=f"#{which} {m}x{n}x{depth} c{cm}x{cn}" + (f" k{parts}" if parts > 1 else ""))


def difference(ours, theirs, m, n, products):
    sums, own = theirs.waste(m, n, products), ours.waste(m, n, products)
    cycles, clock = theirs.cycles / ours.cycles - 1, theirs.ghz / ours.ghz - 1
    said = []
    if m >= 64 and sums < own - 0.015:
        said.append(f"fills {theirs.waves(m, n, products):.2f} waves and computes {sums:.0%} beyond C's "
                    f"share of an SM, ours {ours.waves(m, n, products):.2f} and {own:.0%}")
    if theirs.intake() < 0.93 * ours.intake():
        said.append(f"takes {1 - theirs.intake() / ours.intake():.0%} fewer bytes from L2")
    if clock > 0.01:
        said.append(f"runs at a {clock:.1%} higher clock for {'+' if cycles > 0 else ''}{cycles:.1%} of cycles")
    if not said:
        said.append(f"needs {-cycles:.1%} fewer cycles for the same sums"
                    if cycles < -0.002 else f"runs {cycles:.1%} more cycles, {clock:+.1%} of the clock")
    return "; ".join(said)


def lines(header):
    names, best = tables(header), {}
    for (key, name, _), by_config in groups().items():
        library = {c: r for c, r in by_config.items() if c.startswith("cublaslt:")}
        own = {c: r for c, r in by_config.items() if not c.startswith("cublaslt:")}
        if not library or not own:
            continue
        config, choice = (min(of, key=lambda c: median(of[c])) for of in (own, library))
        ratio = median(library[choice]) / median(own[config])
        if key not in best or ratio > best[key][0]:
            first = library.get("cublaslt:top1")
            best[key] = (ratio, median(first) / median(own[config]) if first else None,
                         ours_of(config, own[config]), theirs_of(library[choice], names), name)
    behind = sorted((b[0], k) for k, b in best.items() if b[0] < 0.99)
    yield (f"Of {len(best)} problems and regimes cuBLASLt is ahead by more than 1 % in {len(behind)}, by more "
           f"than 3 % in {sum(r < 0.97 for r, _ in behind)}; its first choice alone in "
           f"{sum(1 for b in best.values() if b[1] and b[1] < 0.99)} and "
           f"{sum(1 for b in best.values() if b[1] and b[1] < 0.97)}.\n")
    yield "| problem | over its first; best | ours | cuBLASLt's | which | rows |"
    yield "|---|--:|---|---|---|---|"
    for ratio, key in behind:
        _, first, ours, theirs, name = best[key]
        batch, m, n, k, bits, layout, _, regime, _ = key
        products = int(re.match(r"\d+", batch).group())
        problem = f"{m}x{n}x{k}" if batch == "1" else f"{batch} of {m}x{n}x{k}"
        yield (f"| {problem} {'fp8' if bits == 8 else ''}{layout} {regime} | "
               f"{f'{first:.3f}' if first else '-'}; {ratio:.3f} | {ours.text()} | {theirs.text()} | "
               f"{difference(ours, theirs, int(m), int(n), products)} | {name.removesuffix('.csv.gz')} |")


before, _, rest = sys.stdin.read().partition("<!-- results:begin -->")
after = rest.partition("<!-- results:end -->")[2]
table = "\n".join(lines(sys.argv[1] if sys.argv[1:] else "/usr/local/cuda/include/cublasLt.h"))
sys.stdout.write(f"{before}<!-- results:begin -->\n{table}\n<!-- results:end -->{after}")
