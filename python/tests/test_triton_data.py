"""Compares forecasts of Triton's kernels with measurements by others and by us."""

import collections
import math
import pathlib
import statistics

from tilecast import triton_calibrate
from tilecast.triton import times_us

DATA = pathlib.Path(__file__).resolve().parents[2] / "validate" / "data"


def forecasts(path, gpu):
    """By problem: times of its configurations, measured and predicted."""
    problems = collections.defaultdict(list)
    for row in triton_calibrate.read_rows(str(DATA / path)):
        problems[row.problem].append(row)
    for (m, n, k, dtype, layout), rows in problems.items():
        predicted = times_us([row.tile for row in rows], m, n, k, dtype=dtype, layout=layout, gpu=gpu)
        yield [row.time_us for row in rows], predicted


def best_of_first(count, measured, predicted):
    """Speed of the best of the first `count` by prediction, over that of the best of all."""
    order = sorted(range(len(measured)), key=predicted.__getitem__)
    return min(measured) / min(measured[i] for i in order[:count])


def test_first_picks_of_inductors_own_timings_on_an_h100():
    problems = list(forecasts("public/inductor_mm_h100.csv.gz", "h100_sxm"))
    assert len(problems) == 684 and sum(len(measured) for measured, _ in problems) == 19491
    first, four, eight = (statistics.geometric_mean(best_of_first(count, *one) for one in problems)
                          for count in (1, 4, 8))
    print(f"best of the first 1, 4 and 8: {first:.4f} {four:.4f} {eight:.4f}")
    # 0.966, 0.991 and 0.999 on 2026-11-26.
    assert first > 0.96 and four > 0.985 and eight >= 0.997
    # All of them ran.
    assert max(us for _, predicted in problems for us in predicted) < math.inf


def test_each_tile_by_pointers_on_an_h200():
    off = [abs(math.log(ours / us)) for measured, predicted in
           forecasts("h200_sxm/triton/pointer_tiles.csv", "h200_sxm") for us, ours in zip(measured, predicted)]
    assert len(off) == 50 and statistics.mean(off) < 0.08 and max(off) < 0.25
