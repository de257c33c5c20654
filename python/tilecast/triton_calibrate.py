"""Fits a `tilecast.triton.Family` to measured configurations, and reports the accuracy of a family.

    python -m tilecast.triton_calibrate fit ROWS.csv --out family.json
    python -m tilecast.triton_calibrate check ROWS.csv [--family family.json] [--folds 8]

ROWS.csv (or .csv.gz) has a line per configuration: m, n, k, dtype, layout, time_us_median,
status (`ok`), verified (not 0) and the configuration under the names of docs/triton.md (BLOCK_M, num_warps, ...).
In tables from other projects stages, warps, time_us and kernel are read as num_stages, num_warps, time_us_median and
impl, and the layouts of A and B (`[m,k]`, `[n,k]`) as the layout.
"""

from __future__ import annotations

import argparse
import collections
import csv
import dataclasses
import gzip
import itertools
import math
import os
import statistics
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from . import _command
from ._model import ConfigError, FileError
from .triton import _MOST_INTEGER, _NAMES, CYCLES, FACTORS, KINDS, Family, Tile, _integer, _sm, picked, times_us
from .triton_learned import gauss_newton, learn, seen

# Prior standard deviations: cycles, factors, microseconds per million rows.
_STEPS = {"cycles": 20.0, "factors": 0.02, "outside": 20.0}
_PRIORS = {"cycles": 150.0, "factors": 0.1, "outside": 100.0}
_SPILLED_PRIOR = 3.0
# Required columns, and defaults of missing optional ones.
_NEEDED = ("m", "n", "k", "time_us_median", "num_warps", "num_stages")
# Names of these columns in other projects' tables.
_COLUMNS = {"stages": "num_stages", "warps": "num_warps", "time_us": "time_us_median", "kernel": "impl"}
# Layouts by the columns `a` and `b` of such tables.
_LAYOUTS = {("[m,k]", "[n,k]"): "tn", ("[m,k]", "[k,n]"): "nn", ("[k,m]", "[k,n]"): "nt",
            ("[k,m]", "[n,k]"): "tt"}
_TIMES_US = (1e-2, 1e9)  # bounds of any kernel's time
_ASSUMED = {"num_sms": "NUM_SMS: one program per tile", "dtype": "dtype: fp16", "layout": "layout: tn"}


@dataclasses.dataclass(frozen=True)
class Row:
    problem: tuple[int, int, int, str, str]  # m, n, k, dtype, layout
    tile: Tile
    time_us: float
    place: str = dataclasses.field(default="", compare=False)  # "file:line: ", for messages


def read_rows(path: str) -> list[Row]:
    """Returns the valid rows of Triton in a CSV; raises FileError, or ConfigError if there are
    none."""
    return _read(path)[0]


def _read(path: str) -> tuple[list[Row], list[str]]:
    """Returns the valid rows of Triton in a CSV, and one line for each assumption and omission."""
    try:
        with (gzip.open(path, "rt", encoding="utf-8-sig", newline="") if path.endswith(".gz") else
              open(path, encoding="utf-8-sig", newline="")) as file:
            lines = csv.DictReader(file)
            if lines.fieldnames:
                lines.fieldnames = [_COLUMNS.get(name.lower(), name) for name in lines.fieldnames]
            good = [(f"{path}:{lines.line_num}: ", line) for line in lines
                    if line.get("impl", "triton") == "triton" and line.get("status", "ok") == "ok"]
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path}: cannot read: {error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: expected a CSV in UTF-8: {error}") from None
    columns = {name.lower() for name in lines.fieldnames or ()}
    missing = ([name for name in _NEEDED if name not in columns] +
               [f"block_{side}" for side in "mnk" if columns.isdisjoint(_NAMES[f"block_{side}"])])
    if missing:
        raise ConfigError(f"{path}: has no column {', '.join(missing)}")
    notes = [f"no column {what} is assumed" for name, what in _ASSUMED.items()
             if columns.isdisjoint((*_NAMES.get(name, (name,)), *(("b",) if name == "layout" else ())))]
    rows, left_out = [], collections.defaultdict(list)  # type: list[Row], dict[str, list[str]]
    for place, line in good:
        try:
            rows.append(dataclasses.replace(row_of(line), place=place))
        except ConfigError as error:
            left_out[str(error).partition(", got")[0]].append(place)
    notes += [f"{places[0]}{len(places)} rows are skipped: {why}" for why, places in left_out.items()]
    if not rows:
        raise ConfigError("; ".join([f"{path}: contains no row with a Triton configuration and status ok", *notes]))
    return rows, notes


def row_of(values: Mapping[str, Any]) -> Row:
    """Makes a Row from a CSV's line, or from any mapping with the same names; raises ConfigError for an
    invalid measurement."""
    low = {str(name).lower(): value for name, value in values.items()}
    numbers = {name: number for name, value in low.items() if (number := _whole(value)) is not None}
    for name in _NEEDED:
        if name not in (low if name == "time_us_median" else numbers):
            raise ConfigError(f"{name}: expected an integer, got {low.get(name)!r}")
    for name in "mnk":
        if not 1 <= numbers[name] <= _MOST_INTEGER:
            raise ConfigError(f"{name}: expected 1 to {_MOST_INTEGER}, got {numbers[name]}")
    if str(low.get("verified")).lower() in ("0", "false"):
        raise ConfigError("verified: the kernel's result was wrong")
    try:
        time_us = float(low["time_us_median"])
    except (TypeError, ValueError):
        time_us = math.nan
    if not _TIMES_US[0] <= time_us <= _TIMES_US[1]:
        raise ConfigError("time_us_median: expected {:g} to {:g} microseconds, got {!r}".format(
            *_TIMES_US, low["time_us_median"]))
    lies = low.get("a"), low.get("b")
    if lies != (None, None) and lies not in _LAYOUTS:
        raise ConfigError(f"columns a and b: expected the layouts of A and B, such as [m,k] and [n,k], got {lies}")
    words = low.get("dtype", "fp16"), low.get("layout", _LAYOUTS.get(lies, "tn"))
    if not all(words):
        raise ConfigError("dtype, layout: expected a value in both columns, got an empty one")
    return Row((numbers["m"], numbers["n"], numbers["k"], *words), Tile.of(numbers), time_us)


def _whole(value: Any) -> Optional[int]:
    try:
        return int(value) if isinstance(value, str) else _integer(value)
    except ValueError:
        return None


def predicted(rows: Sequence[Row], family: Optional[Family], *, gpu: str = "h200_sxm") -> list[float]:
    """Returns microseconds of each row. Raises ConfigError with the place of the first row of a
    problem that cannot be predicted."""
    times = [0.0] * len(rows)
    _sm(gpu)  # errors of the GPU or of the family have no row
    if family is not None:
        family.check()
    for problem, places in _by_problem(rows).items():
        m, n, k, dtype, layout = problem
        try:
            of_problem = times_us([rows[i].tile for i in places], m, n, k, dtype=dtype, layout=layout, gpu=gpu,
                                  family=family)
        except ConfigError as error:
            raise ConfigError(f"{rows[places[0]].place}{error}") from None
        for i, us in zip(places, of_problem):
            times[i] = us
    return times


def runnable(rows: Sequence[Row], *, gpu: str = "h200_sxm") -> list[Row]:
    """Returns the rows that can be launched; the others have no prediction to fit."""
    return [row for row, us in zip(rows, predicted(rows, Family(), gpu=gpu)) if us < math.inf]


def calibrate(rows: Iterable[Any], *, gpu: str = "h200_sxm") -> Family:
    """Fits a Family to measured rows (`Row`, or mappings as in the CSV), ideally dozens from
    several problems: first the terms, then a correction of their residuals. Rows near the best of
    their problem count most. Terms that the rows do not determine stay near zero, the mean of their
    priors. Raises ConfigError for fewer than 20 rows, and for one that is not `runnable`."""
    rows = [row if isinstance(row, Row) else row_of(row) for row in rows]
    if len(rows) < 20:
        raise ConfigError(f"expected at least 20 measured configurations, got {len(rows)}")
    for row, us in zip(rows, predicted(rows, Family(), gpu=gpu)):
        if us == math.inf:
            raise ConfigError(f"{row.place}{row.tile} of {row.problem} cannot be launched: "
                              "runnable(rows) excludes such rows")
    best = {problem: min(rows[i].time_us for i in places)
            for problem, places in _by_problem(rows).items()}
    weights = [min(1.2, max(0.15, 2.2 - row.time_us / best[row.problem])) for row in rows]
    parts = ["cycles"] * len(CYCLES) + ["outside"] + ["factors"] * len(FACTORS)
    priors = [_PRIORS[kind] for kind in parts]
    priors[len(CYCLES) + 1 + FACTORS.index("spilled")] = _SPILLED_PRIOR
    values = gauss_newton(lambda at: predicted(rows, _family(at), gpu=gpu),
                          [row.time_us for row in rows], weights,
                          [_STEPS[kind] for kind in parts], priors)
    terms = _family([round(value, 4) for value in values])
    places, off, counts = [], [], []
    for row, us, weight in zip(rows, predicted(rows, terms, gpu=gpu), weights):
        if not row.tile.spills():
            m, n, k, _, _ = row.problem
            places.append(seen(row.tile, m, n, k, us))
            off.append(math.log(row.time_us / us))
            counts.append(weight)
    kinds = {row.tile.kind() for row in rows}
    return dataclasses.replace(terms, learned=learn(places, off, counts),
                               fitted_to=tuple(kind for kind in KINDS if kind in kinds))


def _family(values: Sequence[float]) -> Family:
    cycles, outside, factors = values[:len(CYCLES)], values[len(CYCLES)], values[len(CYCLES) + 1:]
    return Family(dict(zip(CYCLES, cycles)), dict(zip(FACTORS, factors)), max(0.0, outside))


def _by_problem(rows: Sequence[Row]) -> dict[tuple, list[int]]:
    places = collections.defaultdict(list)
    for i, row in enumerate(rows):
        places[row.problem].append(i)
    return places


@dataclasses.dataclass(frozen=True)
class Quality:
    """Quality of predictions over problems: mean and median absolute error of time, and the speed of the
    best of the first 1, 4 and 8 by prediction relative to the best measured, geometric mean and worst."""

    rows: int
    problems: int
    mean_error: float
    median_error: float
    picks: dict[int, tuple[float, float]]

    def __str__(self) -> str:
        lines = [f"{self.rows} rows of {self.problems} problems: mean error of time "
                 f"{100 * self.mean_error:.2f} %, median {100 * self.median_error:.2f} %"]
        lines += [f"best of first {top}: {mean:.4f} of the best (worst {worst:.3f})"
                  for top, (mean, worst) in self.picks.items()]
        return "\n".join(lines)


def quality(rows: Sequence[Row], families: Mapping[tuple, Optional[Family]], *,
            gpu: str = "h200_sxm") -> Quality:
    """Returns the quality of each problem's family, or of the package's family if None. Picks are as in
    early_config_prune. Kernels whose accumulators do not fit in registers can be picked like any
    other; their error, a factor of several, is excluded from the errors."""
    errors, picks = [], {1: [], 4: [], 8: []}  # type: list[float], dict[int, list[float]]
    problems = _by_problem(rows)
    for problem, places in problems.items():
        of_problem = [rows[i] for i in places]
        family = families[problem]
        errors += [abs(us / row.time_us - 1)
                   for row, us in zip(of_problem, predicted(of_problem, family, gpu=gpu))
                   if not row.tile.spills()]
        m, n, k, dtype, layout = problem
        order = picked([row.tile for row in of_problem], m, n, k, max(picks), dtype=dtype, layout=layout,
                       gpu=gpu, family=family)
        best = min(row.time_us for row in of_problem)
        for top, speeds in picks.items():
            speeds.append(best / min(of_problem[i].time_us for i in order[:top]))
    if not errors:
        raise ConfigError("no row can be launched: every kernel's accumulators exceed its registers")
    return Quality(len(rows), len(problems), statistics.mean(errors), statistics.median(errors),
                   {top: (statistics.geometric_mean(speeds), min(speeds))
                    for top, speeds in picks.items()})


def same(rows: Sequence[Row], family: Optional[Family]) -> dict[tuple, Optional[Family]]:
    """Returns one family for all problems."""
    return {problem: family for problem in _by_problem(rows)}


def unseen(rows: Sequence[Row], folds: int, gpu: str = "h200_sxm") -> dict[tuple, Family]:
    """Returns for each problem a Family fitted to the problems of the other folds. There are at
    most as many folds as problems."""
    problems = list(_by_problem(rows))
    if min(folds, len(problems)) < 2:
        raise ConfigError("folds: expected at least 2, and rows of at least 2 problems, got "
                          f"{folds} and {len(problems)}")
    families = {}
    for fold in range(min(folds, len(problems))):
        tested = set(itertools.islice(problems, fold, None, folds))
        family = calibrate([row for row in rows if row.problem not in tested], gpu=gpu)
        families.update(dict.fromkeys(tested, family))
    return families


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tilecast.triton_calibrate",
                                     description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    fit = commands.add_parser("fit", help="fit a family to measured configurations")
    check = commands.add_parser("check", help="report the prediction error and pick quality of a family")
    for command in (fit, check):
        command.add_argument("rows", help="CSV of measured configurations")
        command.add_argument("--gpu", default="h200_sxm", help="name of a GPU, or path of a GPU file")
    fit.add_argument("--out", required=True, help="JSON file to write the family to")
    check.add_argument("--family", help="JSON file of the family (default: the one that the package contains)")
    check.add_argument("--folds", type=int,
                       help="cross-validate instead, with the problems divided into this many folds")
    options = parser.parse_args(arguments)
    return _command.run("tilecast.triton_calibrate", lambda: _answer(options))


def _answer(options: argparse.Namespace) -> Quality:
    if options.command == "fit" and os.path.realpath(options.rows) == os.path.realpath(options.out):
        raise ConfigError("--out: this is the file of the rows; choose another file")
    read, notes = _read(options.rows)
    rows = runnable(read, gpu=options.gpu)
    if len(rows) < len(read):
        notes.append(f"{len(read) - len(rows)} rows are skipped because they cannot be launched")
    for note in notes:
        print(note, file=sys.stderr)
    if not rows:
        raise ConfigError(f"{options.rows}: contains no configuration that can be launched")
    if options.command == "fit":
        family = calibrate(rows, gpu=options.gpu)
        family.save(options.out)
        families = same(rows, family)
    elif options.folds is not None:
        families = unseen(rows, options.folds, options.gpu)
    else:
        families = same(rows, Family.load(options.family) if options.family else None)
    return quality(rows, families, gpu=options.gpu)


if __name__ == "__main__":
    sys.exit(main())
