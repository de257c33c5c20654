"""Ranks given configurations for many problems (tilecast.rank)."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _native
from ._model import ConfigError, _machine, _threads
from ._problem import Attention, problem_of

if TYPE_CHECKING:
    from .triton import Tile


def rank(problems: Sequence[Union[tuple[int, int, int], Attention]], configs: Sequence[Union[str, Tile]], *,
         dtype: Any = None, layout: Optional[str] = None, gpu: Union[str, os.PathLike] = "h200_sxm",
         regime: str = "burst", inputs: str = "normal", threads: int = 0, **options: Any) -> list[list[float]]:
    """Returns times in microseconds of given configurations: a row per problem, a column per
    configuration; infinity if the configuration cannot run.

    problems   tuples (m, n, k), in elements, or `tilecast.Attention`
    configs    configurations of tilecast's kernels as texts, or of Triton's GEMMs as `tilecast.triton.Tile`; not both
    options    for tilecast's kernels `epilogue`, `accumulate`, `calibrated`; for Triton's `family`

    Times are from the analytic model, so thousands of pairs take a second. Other keywords are as in
    `predict`. Raises ConfigError for problems that cannot be predicted, FileError for a file that
    cannot be read.
    """
    fields = {"dtype": dtype, "layout": layout}
    if all(isinstance(config, str) for config in configs):
        return _times(problems, configs, _machine(gpu, options.pop("calibrated", True)),
                      (regime, inputs, "analytic"), threads, **fields, **options)
    from .triton import Tile, times_us

    if not all(isinstance(config, Tile) for config in configs):
        raise ConfigError("configs: expected only strings, or only tilecast.triton.Tile")
    if any(isinstance(problem, Attention) for problem in problems):
        raise ConfigError("problems: tilecast.triton.Tile is a tile of GEMMs, not of attention")
    return [times_us(configs, *problem, dtype=dtype or "fp16", layout=layout or "tn", gpu=gpu, regime=regime,
                     inputs=inputs, threads=threads, **options) for problem in problems]


def _times(problems: Sequence[Any], configs: Sequence[Any], machine: tuple, conditions: tuple, threads: int, *,
           dtype: Any, layout: Optional[str], epilogue: Optional[str] = None,
           accumulate: Optional[str] = None) -> list[list[float]]:
    asked = [problem_of(*((one,) if isinstance(one, Attention) else one), dtype=dtype, layout=layout,
                        epilogue=epilogue, accumulate=accumulate) for one in problems]
    seconds = _native.config_times(machine, [problem.texts() for problem in asked], conditions, list(configs),
                                   _threads(threads))
    return [[one * 1e6 if one < math.inf else one for one in row] for row in seconds]
