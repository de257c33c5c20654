"""Least squares over logarithms of times, for tilecast.triton_calibrate; no library needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

# Huber's: a row whose logarithm is off by more counts by its absolute and not its squared error.
_HUBER_DELTA = 0.1


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with the largest pivot; the matrix is positive definite."""
    rows = [row[:] + [one] for row, one in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda j: abs(rows[j][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(i + 1, len(rows)):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
    answer = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        known = sum(rows[i][j] * answer[j] for j in range(i + 1, len(rows)))
        answer[i] = (rows[i][-1] - known) / rows[i][i]
    return answer


def gauss_newton(predict: Callable[[list[float]], list[float]], measured: Sequence[float],
                 weights: Sequence[float], steps: Sequence[float], priors: Sequence[float],
                 rounds: int = 6) -> list[float]:
    """Parameters, from zeros, that bring the logarithms of predictions nearest to those of
    measurements. `steps`: of the differences; `priors`: how far from zero a parameter is expected,
    which counts as one more row each."""
    values = [0.0] * len(steps)
    for _ in range(rounds):
        here = predict(values)
        off = [math.log(m / p) for m, p in zip(measured, here)]
        columns = []
        for j, step in enumerate(steps):
            there = predict([v + step * (i == j) for i, v in enumerate(values)])
            columns.append([math.log(b / a) / step for a, b in zip(here, there)])
        count = [w / max(1.0, abs(r) / _HUBER_DELTA) for w, r in zip(weights, off)]
        matrix = [[sum(c * a * b for c, a, b in zip(count, left, right)) for right in columns]
                  for left in columns]
        right = [sum(c * a * r for c, a, r in zip(count, column, off)) for column in columns]
        for j, prior in enumerate(priors):
            precision = (_HUBER_DELTA / prior) ** 2
            matrix[j][j] += precision
            right[j] -= precision * values[j]
        values = [v + d for v, d in zip(values, solve(matrix, right))]
    return values
