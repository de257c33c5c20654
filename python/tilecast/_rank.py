"""tilecast.rank."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _native
from ._model import ConfigError, _machine, _question, _shape, _threads

if TYPE_CHECKING:
    from .triton import Tile


def rank(problems: Sequence[tuple[int, int, int]], configs: Sequence[Union[str, Tile]], *, dtype: Any = "fp16",
         layout: str = "tn", gpu: Union[str, os.PathLike] = "h200_sxm", regime: str = "burst", inputs: str = "normal",
         threads: int = 0, **options: Any) -> list[list[float]]:
    """Times in microseconds of given configurations: a row per problem, a column per configuration;
    infinity if the configuration cannot run.

    problems   tuples (m, n, k), in elements
    configs    configurations of tilecast's kernels as texts, or of Triton's as `tilecast.triton.Tile`; not both
    options    for tilecast's kernels `epilogue`, `accumulate`, `calibrated`; for Triton's `family`

    Times are from the analytic model, so thousands of pairs take a second. Other keywords are those of `predict`.
    Raises ConfigError for problems that cannot be predicted, FileError for a file that cannot be read.
    """
    if all(isinstance(config, str) for config in configs):
        return _times(problems, configs, _machine(gpu, options.pop("calibrated", True)),
                      (dtype, layout, regime, inputs, "analytic"), threads, **options)
    from .triton import Tile, times_us

    if not all(isinstance(config, Tile) for config in configs):
        raise ConfigError("configs: expected texts, or all of them tilecast.triton.Tile")
    return [times_us(configs, *problem, dtype=dtype, layout=layout, gpu=gpu, regime=regime, inputs=inputs,
                     threads=threads, **options) for problem in problems]


def _times(problems: Sequence[tuple[int, int, int]], configs: Sequence[Any], machine: tuple, question: tuple,
           threads: int, *, epilogue: str = "none", accumulate: Any = None) -> list[list[float]]:
    seconds = _native.config_times(machine, [_shape(*problem) for problem in problems],
                                   _question(*question, epilogue, accumulate), list(configs), _threads(threads))
    return [[one * 1e6 if one < math.inf else one for one in row] for row in seconds]
