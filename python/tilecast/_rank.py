"""Ranks given configurations for many problems (tilecast.rank)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _native
from ._model import ConfigError, Gpu, OneConfig, _conditions, _machine, _threads, configs_of, is_one_config
from ._problem import Attention, OneProblem, listed, problems_of

if TYPE_CHECKING:
    from .triton import Family, Tile


def rank(problems: Iterable[OneProblem], configs: Iterable[Union[OneConfig, Tile]], *, dtype: Any = None,
         layout: Optional[str] = None, gpu: Union[str, os.PathLike, Gpu] = "h200_sxm", regime: str = "burst",
         inputs: str = "normal", threads: int = 0, epilogue: Optional[str] = None,
         batch: Union[int, str, None] = None, accumulate: Optional[str] = None, out_dtype: Any = None,
         calibrated: bool = True, method: Optional[str] = None,
         family: Optional[Family] = None) -> list[list[float]]:
    """Returns times in microseconds of given configurations: a row per problem, a column per
    configuration; infinity if the configuration cannot run.

    problems   each a tuple (m, n, k) or a text "4096x4096x4096", in elements, a `tilecast.Gemm` or a
               `tilecast.Attention`
    configs    configurations of tilecast's kernels, complete or partial: texts, `tilecast.Config`, tuples or dicts of
               parts ((M, N, K), (M, N, K, stages, warps), {"BLOCK_M": 128, ...}), or `tilecast.Prediction`; or tiles of
               Triton's GEMMs, `tilecast.triton.Tile`; not both. A partial one stands for its fastest match, for each
               problem
    method     "simulated", with the times of `predict`, or "analytic": thousands of pairs take a second. Default:
               simulated for up to 50 pairs of GEMMs and configurations
    accumulate, out_dtype, calibrated, method   only for tilecast's kernels
    family                                      only for Triton's

    Both may be any iterables, or one value alone. Other keywords are as in `predict`. Raises ConfigError for problems
    that cannot be predicted, FileError for a file that cannot be read.
    """
    asked = problems_of(problems, dtype=dtype, layout=layout, epilogue=epilogue, batch=batch, accumulate=accumulate,
                        out_dtype=out_dtype)
    machine, conditions = _machine(gpu, calibrated), _conditions(regime, inputs, method)
    of_tiles = lambda one: hasattr(one, "block_m")
    given = listed("configs", configs, lambda one: is_one_config(one) or of_tiles(one))
    if not any(map(of_tiles, given)):
        if family is not None:
            raise ConfigError("family: applies only to Triton's kernels (tilecast.triton.Tile)")
        seconds = _native.config_times(machine, [problem.texts() for problem in asked], conditions, configs_of(given),
                                       _threads(threads))
        return [[one * 1e6 if one < math.inf else one for one in row] for row in seconds]
    from .triton import times_us

    if not all(map(of_tiles, given)):
        raise ConfigError("configs: cannot mix tilecast.triton.Tile with strings or predictions")
    if any(isinstance(problem, Attention) for problem in asked):
        raise ConfigError("problems: tilecast.triton.Tile applies only to GEMMs, not to attention")
    if accumulate is not None or out_dtype is not None or not calibrated or method is not None:
        raise ConfigError("accumulate, out_dtype, calibrated, method: apply only to tilecast's kernels, not to "
                          "tilecast.triton.Tile")
    return [times_us(given, one.m, one.n, one.k, dtype=one.dtype, layout=one.layout, gpu=machine[0], regime=regime,
                     inputs=inputs, family=family, batch=one.batch, epilogue=one.epilogue, threads=threads)
            for one in asked]
