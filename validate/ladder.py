"""Writes the tables of kernels/gemm/README.md from committed measurements; --check reports whether
they are stale.

    python3 validate/ladder.py [--check]

Each configuration of validate/suites/h200_ladder.yaml, in order, is compared with one that differs as
little as the kernels allow; hardware counters from separate runs show the effect.
"""

import csv
import pathlib
import re
import sys

DATA = pathlib.Path("validate/data/h200_sxm/ladder")
SUITE = pathlib.Path("validate/suites/h200_ladder.yaml")
PAGE = pathlib.Path("kernels/gemm/README.md")
PEAK = 4096 * 132  # operations of all tensor cores per cycle

TENSOR, INTAKE, L2, FAR, DRAM, ISSUED, WAVEFRONTS = [  # name, unit, counts per unit, metric
    ("tensor pipes active", "%", 1, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
    ("SM fill", "GB", 1e9, "l1tex__m_xbar2l1tex_read_bytes.sum"),
    ("L2 read", "M sectors", 1e6, "lts__t_sectors_op_read.sum"),
    ("far partition", "M sectors", 1e6, "lts__t_sectors_srcunit_ltcfabric.sum"),
    ("DRAM read", "GB", 1e9, "dram__bytes_read.sum"),
    ("instructions", "M", 1e6, "smsp__inst_executed.sum"),
    ("shared-memory wavefronts", "M", 1e6, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"),
]
RUNGS = [  # name, short configuration, index of the kernel to compare with, counters
    ("one buffer", "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8", None, [TENSOR]),
    ("two buffers", "bp 128x128x64 s2 w1x1 c1x1 o2 i1 e0 m8", 1, [TENSOR, INTAKE]),
    ("a ring of stages and a larger tile", "pi 128x256x64 s4 w2x1 c1x1 o1 i0 e2 m8", 2, [TENSOR, INTAKE]),
    ("one wgmma group in flight", "pi 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8", 3, [TENSOR]),
    ("persistent CTAs", "pe 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8", 4, [TENSOR, DRAM]),
    ("loads across tiles", "po 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8", 5, [TENSOR]),
    ("C in borrowed stages", "po 128x256x64 s4 w2x1 c1x1 o1 i1 e0 m8", 6, [TENSOR]),
    ("tiles row by row", "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m1", 9, [DRAM, FAR]),
    ("a producer warpgroup", "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8", 6, [TENSOR, ISSUED]),
    ("tiles along a Hilbert curve", "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 h", 9, [DRAM, FAR]),
    ("clusters and multicast", "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8", 9, [L2, FAR, DRAM]),
    ("the largest tile", "ws 256x192x64 s3 w2x1 c1x2 o1 i1 e2 m8", 11, [INTAKE, L2, WAVEFRONTS]),
    ("ping-pong", "pp 128x128x64 s6 w1x1 c1x1 o1 i1 e2 m8", 9, [TENSOR, INTAKE]),
    ("ping-pong with a wider tile", "pp 128x160x64 s5 w1x1 c1x1 o1 i1 e2 m8", 13, [INTAKE, WAVEFRONTS]),
    ("a deferred store", "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2d m8", 11, [TENSOR]),
]
HEAD = ("| | kernel | configuration | against | kcycles | change | GHz | TFLOPS | of peak | sustained TFLOPS | GHz "
        "| J/TFLOP | change | shown by |\n|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")


def rows_of(name, key):
    with open(DATA / name) as file:
        return {(row["m"], row["n"], row["k"], row["config"], *(row[more] for more in key)): row
                for row in csv.DictReader(file)}


def number(row, column):
    return float(row[column]) if row and row[column] else None


def change(other, own):
    return f"{(own / other - 1) * 100:+.1f} %" if own and other else ""


def cells(rows, problem, config, against):
    flops = 2 * float(problem[0]) * float(problem[1]) * float(problem[2])

    def of(config):
        burst, sustained = (rows.get((*problem, config, regime)) for regime in ("burst", "sustained"))
        watts = number(sustained, "power_w")
        joules = watts and watts * number(sustained, "time_us_median") * 1e-6 / (flops * 1e-12)
        return burst, sustained, number(burst, "cycles"), joules

    def clock(row):
        mhz = number(row, "sm_clock_mhz")
        return f"{mhz * 1e-3:.3f}" if mhz else ""

    def tflops(row):
        return f"{flops * 1e-6 / number(row, 'time_us_median'):.0f}" if row else ""

    burst, sustained, cycles, joules = of(config)
    other_cycles, other_joules = of(against)[2:]
    return [f"{cycles * 1e-3:.1f}" if cycles else "", change(other_cycles, cycles), clock(burst), tflops(burst),
            f"{flops / PEAK / cycles * 100:.1f} %" if cycles else "", tflops(sustained), clock(sustained),
            f"{joules:.3f}" if joules else "", change(other_joules, joules)]


def shown_by(counted, problem, config, against, counters):
    def text(count):
        return f"{count:.{2 if count < 10 else 1 if count < 100 else 0}f}"

    parts = []
    for name, unit, per_unit, metric in counters:
        own, other = (number(counted.get((*problem, c)), metric) for c in (config, against))
        if own is not None:
            before = text(other / per_unit) + " → " if other is not None else ""
            parts.append(f"{name} {before}{text(own / per_unit)} {unit}")
    return "; ".join(parts)


def tables():
    configs = re.findall(r"^  - (.*)$", SUITE.read_text(), re.MULTILINE)
    assert len(configs) == len(RUNGS), f"{SUITE}: expected {len(RUNGS)} configurations"
    rows, counted = rows_of("ladder.csv", ["regime"]), rows_of("counters.csv", [])
    text = ""
    for problem in dict.fromkeys(key[:3] for key in rows):
        text += f"**{'x'.join(problem)} fp16 tn**\n\n{HEAD}"
        for place, (name, short, against, counters) in enumerate(RUNGS):
            config, other = configs[place], configs[against - 1] if against else None
            line = [str(place + 1), name, f"`{short}`", str(against or ""), *cells(rows, problem, config, other),
                    shown_by(counted, problem, config, other, counters)]
            text += "| " + " | ".join(line) + " |\n"
        for config, name in (("cublaslt:top1", "cuBLASLt top-1"), ("cublaslt:best", "cuBLASLt best")):
            text += f"| | {name} | | | {' | '.join(cells(rows, problem, config, None))} | |\n"
        text += "\n"
    return text


before = PAGE.read_text()
after = re.sub(r"(<!-- tables:begin -->\n).*(<!-- tables:end -->)", lambda m: m[1] + tables() + m[2], before,
               flags=re.DOTALL)
if after != before and "--check" in sys.argv:
    sys.exit(f"{PAGE}: run python3 validate/ladder.py")
PAGE.write_text(after)
