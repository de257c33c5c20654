"""What measured configurations are off a Family's terms, and what that says of others like them.

A Gaussian process over named quantities of a configuration on a problem: the logarithm of measured
over predicted is a sum over measured configurations, each with a weight that falls with its distance,

    off(x) = sum of weight_i exp(-|x - x_i|^2 / 2),    x in units of LENGTHS,

so that far from all of them nothing is added. Of many rows those stand for all of which the others say
least: the largest pivots of the covariance. Kernels that are alike are off alike: `to_try` spreads what
is measured over those whose errors say little of each other.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from itertools import repeat
from operator import mul
from typing import Any

from ._fit import solve

# Quantities that a configuration is seen by, and how far apart two may lie that still say much of each
# other: as predict best what a fit has not seen (docs/dev/notebook/triton.md).
LENGTHS = {
    # The tile, as log2.
    "block_m": 1.4, "block_n": 3.0, "block_k": 2.0, "stages": 2.6, "group": 12.0,
    # What its code does.
    "two_warpgroups": 1.35, "flatten": 3.2, "one_tile": 0.5, "warp_specialize": 0.5, "split_k": 0.5,
    # The problem on the chip, as log2 but the shares of SMs that have a tile at all and in the last wave.
    "m": 4.8, "k": 6.0, "waves": 7.0, "busy": 3.0, "last_wave": 1.5, "padding": 3.2,
    # Which limit it runs near, as log2 of what there is for each microsecond: multiply-adds of an SM, lines
    # that it loads, K blocks for each stage that is loaded ahead, operands and C of all.
    "multiplied": 1.5, "loaded": 0.94, "waited": 0.7, "dram": 2.4,
}
# Of the H200 on which the package's family was fitted: the unit of a wave, on other GPUs too.
SMS = 132
# Of logarithms: how far kernels are off, and how much of that is their own, like no other's.
_SPREAD = 0.1
_OWN = 0.03
# Of fast kernels of a problem that a family has not seen, beside each other.
_DOUBT = 0.03
_MOST_ROWS = 600
# A pivot of which the others leave less, of a variance of 1, tells nothing that is not noise.
_LEAST_PIVOT = 1e-3
_LINE_BYTES = 128


def seen(tile: Any, m: int, n: int, k: int, us: float) -> tuple[float, ...]:
    """By the names of LENGTHS, in their units; `us`: as predicted."""
    log2 = math.log2
    along_m, along_n = -(-m // tile.block_m), -(-n // tile.block_n)
    blocks = -(-k // tile.block_k)
    waves = -(-along_m * along_n // SMS)
    per_us = waves / us
    # A row of a K block that does not begin where a line does lies on two.
    lines = 2 - math.gcd(2 * k, _LINE_BYTES) / _LINE_BYTES
    values = (
        log2(tile.block_m), log2(tile.block_n), log2(tile.block_k), log2(tile.num_stages),
        log2(tile.group_m), tile.num_warps > 4, tile.flatten, not tile.persistent, tile.warp_specialize,
        log2(tile.split_k),
        log2(m), log2(k), log2(waves), min(1, along_m * along_n / SMS),
        along_m * along_n / SMS - waves + 1,
        log2(along_m * tile.block_m * along_n * tile.block_n / (m * n)),
        log2(per_us * max(tile.block_m, 64) * tile.block_n * k),
        log2(per_us * (tile.block_m + tile.block_n) * k * lines),
        log2(per_us * blocks / max(1, tile.num_stages - 1)), log2((m * k + n * k + m * n) / us))
    return tuple(round(value / length, 4) for value, length in zip(values, LENGTHS.values()))


def _sum_of_products(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(map(mul, left, right))


_dot = getattr(math, "sumprod", _sum_of_products)  # Python 3.12 has it compiled


def _near(x: Sequence[float], rows: Sequence[Sequence[float]]) -> list[float]:
    exp = math.exp
    return [exp(-0.5 * d * d) for d in map(math.dist, repeat(x), rows)]


@dataclasses.dataclass(frozen=True)
class Learned:
    """Measured configurations as they are `seen`, and their weights."""

    rows: tuple[tuple[float, ...], ...] = ()
    weights: tuple[float, ...] = ()

    def off(self, x: Sequence[float]) -> float:
        """Logarithm of measured over predicted, as expected of what is seen as x."""
        return _dot(_near(x, self.rows), self.weights)

    def table(self) -> list[list[float]]:
        """Rows with their weights, as a file has them."""
        return [[*row, weight] for row, weight in zip(self.rows, self.weights)]

    @classmethod
    def of_table(cls, table: Sequence[Sequence[float]]) -> Learned:
        if any(len(row) != len(LENGTHS) + 1 for row in table):
            raise ValueError("expected a value for each of LENGTHS and a weight")
        return cls(tuple(tuple(map(float, row[:-1])) for row in table),
                   tuple(float(row[-1]) for row in table))


class _Pivots:
    """A Cholesky factor of the rows' covariance, begun at any of them. `left`: of the variance of each,
    what those taken leave; `own`: of it, what is no other's."""

    def __init__(self, rows: Sequence[Sequence[float]], own: float):
        self.rows, self.left = rows, [1.0 + own] * len(rows)
        self.factor: list[list[float]] = [[] for _ in rows]
        self.taken: list[int] = []

    def take(self, pivot: int) -> None:
        root, known = math.sqrt(self.left[pivot]), self.factor[pivot][:]
        for i, near in enumerate(_near(self.rows[pivot], self.rows)):
            entry = (near - _dot(self.factor[i], known)) / root
            self.factor[i].append(entry)
            self.left[i] = max(0.0, self.left[i] - entry * entry)
        self.taken.append(pivot)


def learn(rows: Sequence[tuple[float, ...]], off: Sequence[float], counts: Sequence[float]) -> Learned:
    """From what rows are seen as and how far they are off, each as often as `counts` says."""
    pivots = _Pivots(rows, 0.0)
    while len(pivots.taken) < min(_MOST_ROWS, len(rows)):
        pivot = max(range(len(rows)), key=pivots.left.__getitem__)
        if pivots.left[pivot] < _LEAST_PIVOT:
            break
        pivots.take(pivot)
    # Least squares over the factor's columns, their values expected within _SPREAD of zero.
    columns = list(zip(*pivots.factor))
    counted = [list(map(mul, column, counts)) for column in columns]
    matrix = [[0.0] * len(columns) for _ in columns]
    for i, one in enumerate(counted):
        for j, other in enumerate(columns[:i + 1]):
            matrix[i][j] = matrix[j][i] = _dot(one, other) + (_OWN / _SPREAD) ** 2 * (i == j)
    weights = solve(matrix, [_dot(one, off) for one in counted])
    # From values of columns to weights of rows: the pivots' own rows of the factor are a triangle.
    for i in reversed(range(len(columns))):
        triangle = pivots.factor[pivots.taken[i]]
        weights[i] /= triangle[i]
        for j in range(i):
            weights[j] -= weights[i] * triangle[j]
    return Learned(tuple(rows[i] for i in pivots.taken), tuple(round(weight, 5) for weight in weights))


def to_try(rows: Sequence[Sequence[float]], times: Sequence[float], count: int) -> list[int]:
    """Places of `count` kernels to measure for the fastest: the one with the shortest time, then each
    time the one that could be shortest by as much as those taken leave open."""
    logs = list(map(math.log, times))
    pivots = _Pivots(rows, (_OWN / _SPREAD) ** 2)
    while len(pivots.taken) < min(count, len(rows)):
        pivots.take(min((i for i in range(len(rows)) if i not in pivots.taken),
                        key=lambda i: logs[i] - _DOUBT * math.sqrt(pivots.left[i])))
    return pivots.taken
