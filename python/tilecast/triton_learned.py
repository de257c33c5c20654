"""Learned correction of a Family: the residuals of measured configurations, applied to similar ones.

A Gaussian process over features of a configuration on a problem. It predicts log(measured / predicted) as a sum
over measured configurations, each with a weight that decreases with its distance,

    off(x) = sum of weight_i exp(-|x - x_i|^2 / 2),    x in units of LENGTHS,

so that far from all of them the correction vanishes. If there are many rows, those that the others predict
least represent all: the largest pivots of the covariance. Similar kernels have similar errors: `to_try`
spreads measurements over kernels whose errors are weakly correlated.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Features of a configuration and their length scales, chosen to minimize the error on held-out rows
# (docs/dev/notebook/triton.md).
LENGTHS = {
    # Features of the tile, as log2.
    "block_m": 1.4, "block_n": 3.0, "block_k": 2.0, "stages": 2.6, "group": 12.0,
    # Features of its code.
    "two_warpgroups": 1.35, "flatten": 3.2, "one_tile": 0.5, "warp_specialize": 0.5, "split_k": 0.5,
    # Features of the problem on the chip, as log2, except for the fractions of SMs that have a
    # tile, over all waves and in the last one.
    "m": 4.8, "k": 6.0, "waves": 7.0, "busy": 3.0, "last_wave": 1.5, "padding": 3.2,
    # Utilization of each limit, as log2 of work per microsecond: multiply-adds per SM, lines loaded
    # per SM, K blocks per prefetched stage, operands and C of all SMs.
    "multiplied": 1.5, "loaded": 0.94, "waited": 0.7, "dram": 2.4,
}
# SMs of the H200 to which the package's family was fitted; waves are counted in this unit on other
# GPUs too.
SMS = 132
# Standard deviations of the logarithm of the error: over all kernels, and of the part that is
# specific to one kernel.
_SPREAD = 0.1
_OWN = 0.03
# Standard deviation of the relative errors of fast kernels on a held-out problem.
_DOUBT = 0.03
_MOST_ROWS = 600
# A pivot whose remaining variance (initially 1) is below this contains only noise.
_LEAST_PIVOT = 1e-3
_LINE_BYTES = 128
# Huber loss: rows with a larger error of the logarithm count linearly instead of quadratically.
_HUBER_DELTA = 0.1


def seen(tile: Any, m: int, n: int, k: int, us: float) -> tuple[float, ...]:
    """Returns features by the names of LENGTHS, in units of length scales; `us`: predicted time."""
    log2 = math.log2
    along_m, along_n = -(-m // tile.block_m), -(-n // tile.block_n)
    blocks = -(-k // tile.block_k)
    waves = -(-along_m * along_n // SMS)
    per_us = waves / us
    # A row of a K block that does not start on a line boundary touches two lines.
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


def _near(x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Returns the covariance of `x` with each of `rows`."""
    return np.exp(-0.5 * ((rows - x) ** 2).sum(1))


@dataclasses.dataclass(frozen=True)
class Learned:
    """Measured configurations as `seen`, and their weights."""

    rows: tuple[tuple[float, ...], ...] = ()
    weights: tuple[float, ...] = ()

    @functools.cached_property
    def _arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.rows), np.array(self.weights)

    def off(self, x: Sequence[Sequence[float]]) -> list[float]:
        """Returns the expected log(measured / predicted) for each row of `x`, in the
        form of `seen`."""
        rows, weights = self._arrays
        return [float(_near(np.array(one), rows) @ weights) for one in x]

    def table(self) -> list[list[float]]:
        """Returns rows with their weights, in the form of a file."""
        return [[*row, weight] for row, weight in zip(self.rows, self.weights)]

    @classmethod
    def of_table(cls, table: Sequence[Sequence[float]]) -> Learned:
        if any(len(row) != len(LENGTHS) + 1 for row in table):
            raise ValueError("expected one value per feature in LENGTHS, and a weight, in each row")
        return cls(tuple(tuple(map(float, row[:-1])) for row in table),
                   tuple(float(row[-1]) for row in table))


class _Pivots:
    """A Cholesky factor of the rows' covariance with lazy pivoting. `left`: remaining variance of each row given
    those taken; `own`: the part of it that is specific to the row."""

    def __init__(self, rows: Sequence[Sequence[float]], own: float, most: int):
        self.rows, self.left = np.array(rows), np.full(len(rows), 1.0 + own)
        self.factor = np.zeros((len(rows), min(most, len(rows))))
        self.taken: list[int] = []

    def take(self, pivot: int) -> None:
        root = math.sqrt(self.left[pivot])
        column = (_near(self.rows[pivot], self.rows) - self.factor @ self.factor[pivot]) / root
        self.factor[:, len(self.taken)] = column
        self.left = np.maximum(0.0, self.left - column * column)
        self.taken.append(pivot)


def learn(rows: Sequence[tuple[float, ...]], off: Sequence[float], counts: Sequence[float]) -> Learned:
    """Learns from rows in the form of `seen` and their errors, each weighted by `counts`."""
    pivots = _Pivots(rows, 0.0, _MOST_ROWS)
    while len(pivots.taken) < pivots.factor.shape[1]:
        pivot = int(pivots.left.argmax())
        if pivots.left[pivot] < _LEAST_PIVOT:
            break
        pivots.take(pivot)
    # Least squares over the factor's columns, with a prior around zero of standard deviation
    # _SPREAD.
    columns = pivots.factor[:, :len(pivots.taken)]
    counted = columns.T * np.array(counts)
    values = np.linalg.solve(counted @ columns + (_OWN / _SPREAD) ** 2 * np.eye(len(pivots.taken)),
                             counted @ np.array(off))
    # Converts column values to row weights.
    weights = np.linalg.solve(columns[pivots.taken].T, values)
    return Learned(tuple(rows[i] for i in pivots.taken), tuple(weights.round(5).tolist()))


def gauss_newton(predict: Callable[[Sequence[float]], Sequence[float]], measured: Sequence[float],
                 weights: Sequence[float], steps: Sequence[float], priors: Sequence[float],
                 rounds: int = 6) -> list[float]:
    """Returns parameters, starting from zero, that minimize the difference of the logarithms of
    predictions and measurements. `steps`: for numerical derivatives; `priors`: standard deviations
    around zero, which count as one more row each."""
    values, by_step = np.zeros(len(steps)), np.diag(steps)
    precision = (_HUBER_DELTA / np.array(priors)) ** 2
    for _ in range(rounds):
        here = np.log(predict(values.tolist()))
        off = np.log(measured) - here
        columns = np.array([(np.log(predict((values + step).tolist())) - here) / step.sum() for step in by_step])
        counted = columns * (np.array(weights) / np.maximum(1.0, abs(off) / _HUBER_DELTA))
        values = values + np.linalg.solve(counted @ columns.T + np.diag(precision), counted @ off - precision * values)
    return values.tolist()


def to_try(rows: Sequence[Sequence[float]], times: Sequence[float], count: int) -> list[int]:
    """Returns indices of `count` kernels to measure for the fastest: first the kernel with the
    shortest time, then each time the one that could be shortest given the remaining uncertainty."""
    logs = np.log(times)
    pivots = _Pivots(rows, (_OWN / _SPREAD) ** 2, count)
    while len(pivots.taken) < min(count, len(rows)):
        could = logs - _DOUBT * np.sqrt(pivots.left)
        could[pivots.taken] = math.inf
        pivots.take(int(could.argmin()))
    return pivots.taken
