"""Triton's matmul configurations, ranked before any of them is compiled.

    @triton.autotune(configs, key=["M", "N", "K"],
                     prune_configs_by={"early_config_prune": tilecast.triton.early_config_prune(top_k=8)})

Each configuration is mapped to the schedule of ours that does the same (`schedule_of`; the table is
in docs/triton.md) and predicted by closed form with nothing learned from our own kernels;
`tilecast.triton_calibrate` fits the few numbers that Triton's code decides, and learns from measured
configurations what those leave (triton_learned.py). Triton is not imported: configurations are
whatever has `kwargs`, `num_warps` and `num_stages`.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import math
import operator
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _native
from ._model import ConfigError, FileError, _machine, _question, _shape, _word
from .triton_learned import SMS, Learned, seen, to_try

# A kernel's own names, in small letters, for what a configuration says.
_NAMES = {
    "block_m": ("block_m", "block_size_m", "bm", "tile_m"),
    "block_n": ("block_n", "block_size_n", "bn", "tile_n"),
    "block_k": ("block_k", "block_size_k", "bk", "tile_k"),
    "group_m": ("group_m", "group_size_m", "group_size", "gm"),
    "num_sms": ("num_sms", "num_programs"),
    "split_k": ("split_k",),
    "flatten": ("flatten",),
    "warp_specialize": ("warp_specialize", "enable_warp_specialization"),
}

# Of compute capability 9.0 (CUDA C++ Programming Guide, technical specifications): on other GPUs none
# of our schedules that stand for Triton's runs.
_SM_SHARED_BYTES = 228 << 10
_CTA_SHARED_BYTES = 227 << 10
_SM_THREADS = 2048
_SM_REGISTERS = 65536
# Sums of a thread that leave room in its 255 registers; the next power of two does not.
_MOST_ACCUMULATORS = 128
# Unit of a feature, of the H200 on which the package's family was fitted; a fit for another GPU finds
# its own factor for the same feature.
_DRAM_TB_PER_S = 5.0


def _integer(value: Any) -> Optional[int]:
    """Of Python, numpy or anything else that is one; None of what is not."""
    try:
        return operator.index(value)
    except TypeError:
        return None


@dataclasses.dataclass(frozen=True)
class Tile:
    """What a configuration says, by our names. `persistent`: programs loop over tiles."""

    block_m: int
    block_n: int
    block_k: int
    num_stages: int = 3
    num_warps: int = 4
    group_m: int = 8
    persistent: bool = False
    flatten: bool = False
    warp_specialize: bool = False
    split_k: int = 1

    def __post_init__(self):
        for name, least in (("block_m", 1), ("block_n", 1), ("block_k", 16), ("num_warps", 1)):
            value = getattr(self, name)
            if value < least or value & (value - 1):
                raise ConfigError(f"{name}: expected a power of two of at least {least}, as Triton takes, "
                                  f"got {value}")
        for name in ("num_stages", "group_m", "split_k"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}: expected at least 1, got {getattr(self, name)}")

    @classmethod
    def of(cls, values: Mapping[str, Any], persistent: Optional[bool] = None) -> Tile:
        """From a configuration's and the call's arguments under any names of docs/triton.md."""
        low = {str(name).lower(): value for name, value in values.items()}

        def number(key: str, otherwise: Optional[int] = None) -> int:
            for name in _NAMES.get(key, (key,)):
                value = _integer(low.get(name))
                if value is not None:
                    return value
            if otherwise is None:
                raise ConfigError(f"{key}: none of {', '.join(_NAMES[key])} in the configuration")
            return otherwise

        return cls(
            number("block_m"), number("block_n"), number("block_k"),
            max(1, number("num_stages", 3)), number("num_warps", 4), max(1, number("group_m", 8)),
            number("num_sms", 0) > 0 if persistent is None else persistent,
            number("flatten", 0) > 0, number("warp_specialize", 0) > 0,
            number("split_k", 1))

    def accumulators(self) -> float:
        """fp32 registers of a thread that hold the tile's sums."""
        return self.block_m * self.block_n / (32 * self.num_warps)

    def spills(self) -> bool:
        """More sums than registers have room for beside addresses and descriptors: the kernel is slower
        by a factor that others say nothing of."""
        return self.accumulators() > _MOST_ACCUMULATORS


def schedule_of(tile: Tile) -> list[str]:
    """Configurations of ours that do what the tile does, the nearest first: where one cannot run
    (say, of too little shared memory for its staging of C), the next one stands in."""
    warpgroups = max(1, tile.num_warps // 4)
    # Triton gives each warpgroup 64 rows at least; what is left of them shares the columns.
    along_m = min(warpgroups, max(1, tile.block_m // 64))
    shape = f"{max(tile.block_m, 64)}x{max(tile.block_n, 16)}x{tile.block_k}"
    raster = f"raster=grouped_m,group={tile.group_m}"
    chunks = max(1, tile.block_m // along_m // 64) * max(1, tile.block_n // (warpgroups // along_m) // 64)
    # A program for each SM and no more, however little of it one needs: slots beyond the chunks of
    # C cost no time, and keep the second CTA away that ours would have there.
    slot = 64 * min(64, tile.block_n // (warpgroups // along_m)) * 2 * warpgroups
    ring = 2 * tile.num_stages * tile.block_k * (tile.block_m + tile.block_n)
    alone = -(-(_SM_SHARED_BYTES // 2 - ring) // slot)
    slots = [s for s in (max(chunks, alone), chunks, chunks // 2, 2, 1) if s > 0]
    found = []
    for m, n in dict.fromkeys(((along_m, warpgroups // along_m), (1, warpgroups), (2, 1), (1, 1))):
        for stages in range(tile.num_stages, 0, -1):
            if stages == 1:
                found.append(f"blocked:tile={shape},warpgroups={m}x{n},ctas=1,c_slots=0,{raster}")
                continue
            loop = f"tile={shape},stages={stages},warpgroups={m}x{n}"
            for c in dict.fromkeys(slots):
                if tile.split_k > 1:
                    found.append(f"split_k:{loop},cluster=1x1,ctas=1,inflight=1,c_slots={c},producer=40,"
                                 f"splits={tile.split_k},reduction=atomic,{raster}")
                elif tile.warp_specialize:
                    found.append(f"warp_specialized:{loop},cluster=1x1,ctas=1,inflight=1,c_slots={c},"
                                 f"producer=40,grid={'resident' if tile.persistent else 'tiles'},"
                                 f"{raster},walk=strided")
                elif tile.persistent and tile.flatten:
                    found.append(f"persistent_overlap:{loop},cluster=1x1,ctas=1,inflight=1,"
                                 f"c_slots={c},{raster},walk=strided")
                elif tile.persistent:
                    found.append(f"persistent:{loop},ctas=1,inflight=1,c_slots={c},{raster},walk=strided")
            if not tile.persistent and not tile.warp_specialize and tile.split_k == 1:
                found += [f"pipelined:{loop},ctas={ctas},inflight=1,c_slots=0,{raster}"
                          for ctas in _occupancies(tile)]
    return list(dict.fromkeys(found))


def _occupancies(tile: Tile) -> list[int]:
    """CTAs that an SM holds, as far as threads and shared memory go, and fewer."""
    shared = 2 * tile.num_stages * tile.block_k * (tile.block_m + tile.block_n)
    most = min(_SM_THREADS // (32 * tile.num_warps), _CTA_SHARED_BYTES // max(1, shared),
               _SM_REGISTERS // int(32 * tile.num_warps * (tile.accumulators() + 64)))
    return list(range(max(1, min(4, most)), 0, -1))


@dataclasses.dataclass(frozen=True)
class Family:
    """What Triton's code decides, the machine being the same (docs/triton.md has the terms and why).

    cycles   added to what the GPU's file has for our own kernels, by name (CYCLES)
    factors  of the time, as logarithms, by name (`_features` has what each is multiplied by)
    outside  microseconds for each million rows out of bounds that loads bring as zeros
    learned  what measured configurations are off these terms
    """

    cycles: Mapping[str, float] = dataclasses.field(default_factory=dict)
    factors: Mapping[str, float] = dataclasses.field(default_factory=dict)
    outside: float = 0.0
    learned: Learned = Learned()

    def time_us(self, tile: Tile, m: int, n: int, k: int, us: float) -> float:
        """Of a tile that takes `us` microseconds with these cycles."""
        unknown = set(self.factors) - set(FACTORS)
        if unknown:
            raise ConfigError(f"factors: unknown {', '.join(sorted(unknown))}")
        # What zeros take runs beside the rest: the longer of the two counts for most.
        us = math.hypot(us, self.outside * _outside_rows(tile, m, n, k) * 1e-6)
        features = _features(tile, m, n, k, us)
        us *= math.exp(sum(self.factors.get(name, 0.0) * one for name, one in features.items()))
        return us if tile.spills() else us * math.exp(self.learned.off(seen(tile, m, n, k, us)))

    def save(self, path: Union[str, os.PathLike]) -> None:
        """As JSON, for `Family.load`."""
        try:
            with open(path, "w", encoding="utf-8") as file:
                terms = {name: getattr(self, name) for name in ("cycles", "factors", "outside")}
                text = json.dumps({"schema": 2, "kernel_family": "triton", **terms}, indent=2)
                # A line for each row, its weight last.
                rows = ",\n".join(f"    {list(row)}" for row in self.learned.table())
                file.write(f'{text[:-2]},\n  "learned": [\n{rows}\n  ]\n}}\n')
        except OSError as error:
            raise FileError(f"{os.fspath(path)}: cannot write: {error.strerror}") from None

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> Family:
        try:
            with open(path, encoding="utf-8") as file:
                values = json.load(file)
            schema = values["schema"]
            if schema not in (1, 2):
                raise ConfigError(f"{os.fspath(path)}: schema: expected 1 or 2, got {schema!r}")
            if values.get("kernel_family", "triton" if schema == 1 else None) != "triton":
                raise ConfigError(f"{os.fspath(path)}: kernel_family: expected \"triton\"")
            cycles, factors = ({name: float(one) for name, one in values[part].items()}
                               for part in ("cycles", "factors"))
            outside, learned = float(values["outside"]), Learned.of_table(values.get("learned", ()))
            for part, numbers in (("cycles", cycles.values()), ("factors", factors.values()),
                                  ("outside", [outside]), ("learned", itertools.chain(*learned.table()))):
                if not all(map(math.isfinite, numbers)):
                    raise ConfigError(f"{os.fspath(path)}: {part}: expected finite numbers")
            return cls(cycles, factors, outside, learned)
        except ConfigError:
            raise
        except OSError as error:
            raise FileError(f"{os.fspath(path)}: cannot read: {error.strerror}") from None
        except KeyError as error:
            raise ConfigError(f"{os.fspath(path)}: {error.args[0]}: missing") from None
        except (TypeError, ValueError, AttributeError):
            raise ConfigError(f"{os.fspath(path)}: expected what tilecast.triton_calibrate saves") from None


@functools.cache
def default_family() -> Family:
    """That of the package: fitted to the committed measurements on an H200."""
    return Family.load(os.path.join(os.path.dirname(__file__), "triton_family.json"))


def times_us(tiles: Sequence[Tile], m: int, n: int, k: int, *, dtype: Any = "fp16",
             layout: str = "tn", gpu: Union[str, os.PathLike] = "h200_sxm",
             regime: str = "burst", inputs: str = "normal", family: Optional[Family] = None,
             threads: int = 0) -> list[float]:
    """Predicted time in microseconds of each tile on C[m,n] = A[m,k] B; infinity where no schedule
    of ours could run it: for want of shared memory, as Triton, or with a block_k of 16."""
    if str(layout).lower() not in ("tn", "nn"):  # nothing was measured of Triton with A as [k,m]
        raise ConfigError(f"layout: expected tn or nn, got {layout!r}")
    family = default_family() if family is None else family
    # Parts beyond the blocks of K add zeros: as slow as a part for each block, at least.
    tiles = [dataclasses.replace(tile, split_k=max(1, min(tile.split_k, -(-k // tile.block_k))))
             for tile in tiles]
    machine, question = _machine(gpu, True), _question(dtype, layout, regime, inputs, "analytic")
    times = [math.inf] * len(tiles)
    # Rows out of bounds are multiplied too: a tile's problem ends with its last tile of rows. Our
    # own kernels leave them out.
    for rows in sorted({-(-m // tile.block_m) * tile.block_m for tile in tiles}):
        places = [i for i, tile in enumerate(tiles) if -(-m // tile.block_m) * tile.block_m == rows]
        answers = _native.family_times(machine, _shape(rows, n, k), question,
                                       [schedule_of(tiles[i]) for i in places],
                                       dict(family.cycles), threads)
        for i, (seconds, _, _, config) in zip(places, answers):
            if config:
                times[i] = family.time_us(tiles[i], m, n, k, seconds * 1e6)
    return times


def ranked(tiles: Sequence[Tile], m: int, n: int, k: int, **options: Any) -> list[int]:
    """Places in `tiles`, the fastest first; those that cannot run last. Options are those of `times_us`."""
    return sorted(range(len(tiles)), key=times_us(tiles, m, n, k, **options).__getitem__)


def picked(tiles: Sequence[Tile], m: int, n: int, k: int, count: int, **options: Any) -> list[int]:
    """Places in `tiles` of the `count` to measure: the fastest first, then those that come next or are so
    unlike them that they may be faster yet. Options are those of `times_us`."""
    times = times_us(tiles, m, n, k, **options)
    able = [i for i, us in enumerate(times) if us < math.inf]
    first = to_try([seen(tiles[i], m, n, k, times[i]) for i in able], [times[i] for i in able], count)
    unable = [i for i, us in enumerate(times) if us == math.inf]
    return [able[i] for i in first] + unable[:count - len(first)]


# The names of Family.cycles and Family.factors.
CYCLES = ("turn", "mma_issue", "own_copy", "load_wait", "epilogue", "chunk")
FACTORS = ("all", "spilled", "two_warpgroups", "two_warpgroups_short_k", "two_warpgroups_small",
           "two_warpgroups_deep", "short_k", "one_wave", "dram", "block_k_128", "tall")


def _features(tile: Tile, m: int, n: int, k: int, us: float) -> dict[str, float]:
    """By the names of FACTORS."""
    two = 1.0 if tile.num_warps > 4 else 0.0
    short = 512 / (512 + k)
    tiles = -(-m // tile.block_m) * -(-n // tile.block_n)
    return {
        "all": 1.0,
        "spilled": max(0.0, tile.accumulators() / _MOST_ACCUMULATORS - 1),
        "two_warpgroups": two,
        "two_warpgroups_short_k": two * short,
        "two_warpgroups_small": two if tile.accumulators() < 64 else 0.0,
        "two_warpgroups_deep": two if tile.num_stages > 4 else 0.0,
        "short_k": short,
        "one_wave": 1.0 if tiles <= SMS else 0.0,
        "dram": min(1.0, 2e-6 * (m * k + n * k + m * n) / us / _DRAM_TB_PER_S),
        "block_k_128": 1.0 if tile.block_k >= 128 else 0.0,
        "tall": math.log2(tile.block_m / tile.block_n),
    }


def _outside_rows(tile: Tile, m: int, n: int, k: int) -> float:
    """Rows of A and of B out of bounds in all tiles' loads, in K blocks of 64."""
    along_m, along_n = -(-m // tile.block_m), -(-n // tile.block_n)
    rows = (along_m * tile.block_m - m) * along_n + (along_n * tile.block_n - n) * along_m
    return rows * -(-k // 64)


class Tuner:
    """Both hooks of @triton.autotune's prune_configs_by, for one GPU and family.

    gpu         a name of `tilecast.gpus()`, or the path of a GPU file
    dtype       of A, B and C; else that of the call's first tensor, else fp16
    layout      "tn" (B is [N,K]) or "nn" (B is [K,N]); else as the call's strides of B say, else tn
    persistent  whether programs loop over tiles; else they do where the call or the configuration
                has NUM_SMS
    names       where the kernel calls something else than docs/triton.md lists:
                {"block_m": "XBLOCK", "m": "rows", ...}
    family      what `calibrate` fitted, or the path of its file; else the package's own
    """

    def __init__(self, *, gpu: Union[str, os.PathLike] = "h200_sxm", dtype: Any = None,
                 layout: Optional[str] = None, regime: str = "burst",
                 persistent: Optional[bool] = None, names: Optional[Mapping[str, str]] = None,
                 family: Union[Family, str, os.PathLike, None] = None, threads: int = 0):
        self.gpu, self.dtype, self.layout, self.regime = gpu, dtype, layout, regime
        self.persistent, self.threads = persistent, threads
        self.family = Family.load(family) if isinstance(family, (str, os.PathLike)) else family
        self.names = {theirs: ours for ours, theirs in (names or {}).items()}
        unknown = set(self.names.values()) - set(_NAMES) - set("mnk") - {"num_stages", "num_warps"}
        if unknown:
            raise ConfigError(f"names: unknown {', '.join(sorted(unknown))}")

    def early_config_prune(self, top_k: int = 8) -> Callable[..., list]:
        """A function for prune_configs_by["early_config_prune"]: it keeps `top_k` configurations, that with the
        shortest predicted time first (`picked`); and all of them, as they come, with a warning, for a problem
        that the model does not answer. Raises ConfigError, when it is called, for names that it does
        not find and configurations that Triton would not take."""
        if top_k < 1:
            raise ConfigError(f"top_k: expected at least 1, got {top_k}")

        def prune(configs: Sequence[Any], named_args: Mapping[str, Any], **kwargs: Any) -> list:
            arguments = {**named_args, **kwargs}
            places = self._answered(picked, self._tiles(configs, arguments), arguments, count=top_k)
            return list(configs) if places is None else [configs[i] for i in places]

        return prune

    def perf_model(self, **arguments: Any) -> float:
        """For prune_configs_by["perf_model"]: microseconds of one configuration; infinity for all of a
        problem that the model does not answer, with a warning."""
        times = self._answered(times_us, [Tile.of(self._ours(arguments), self.persistent)], arguments)
        return math.inf if times is None else times[0]

    def rank(self, configs: Sequence[Any], arguments: Mapping[str, Any]) -> list:
        """All configurations, the shortest predicted time first; those that cannot run last."""
        places = self._ask(ranked, self._tiles(configs, arguments), self._problem(arguments))
        return [configs[i] for i in places]

    def _tiles(self, configs: Sequence[Any], arguments: Mapping[str, Any]) -> list[Tile]:
        return [Tile.of(self._ours({**arguments, **_said(config)}), self.persistent)
                for config in configs]

    def _ask(self, question: Callable[..., list], tiles: Sequence[Tile],
             problem: tuple[int, int, int, str, str], **more: int) -> list:
        m, n, k, dtype, layout = problem
        return question(tiles, m, n, k, dtype=dtype, layout=layout, gpu=self.gpu, regime=self.regime,
                        family=self.family, threads=self.threads, **more)

    def _answered(self, question: Callable[..., list], tiles: Sequence[Tile],
                  arguments: Mapping[str, Any], **more: int) -> Optional[list]:
        """None, with a warning, for a problem that Triton runs and the model does not answer."""
        problem = self._problem(arguments)
        try:
            return self._ask(question, tiles, problem, **more)
        except ConfigError as error:
            # What a problem that it does answer raises too is this Tuner's.
            self._ask(times_us, [Tile(128, 128, 64)], (512, 512, 512, "fp16", self.layout or "tn"))
            warnings.warn(f"tilecast.triton: not pruned: {error}", stacklevel=3)
            return None

    def _ours(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {self.names.get(name, name): value for name, value in values.items()}

    def _problem(self, arguments: Mapping[str, Any]) -> tuple[int, int, int, str, str]:
        low = {name.lower(): value for name, value in self._ours(arguments).items()}
        tensors = [value for value in low.values() if hasattr(value, "shape")]
        sides = [side for side in map(_integer, map(low.get, "mnk")) if side is not None]
        if len(sides) < 3 and len(tensors) > 1 and len(tensors[0].shape) == len(tensors[1].shape) == 2:
            m, k = (int(side) for side in tensors[0].shape)
            sides = [m, int(tensors[1].shape[0 if tensors[1].shape[1] == k else 1]), k]
        if len(sides) < 3:
            raise ConfigError("M, N, K: neither in the call nor from the shapes of two matrices; "
                              "names={'m': ..., 'n': ..., 'k': ...} says what they are called")
        first = getattr(tensors[0], "base", tensors[0]) if tensors else None
        dtype = self.dtype or getattr(first, "dtype", None) or "fp16"
        m, n, k = sides
        return m, n, k, _word(dtype), self.layout or _layout(low, tensors, sides)


def _said(config: Any) -> dict[str, Any]:
    """Of a triton.Config, or of whatever has the same attributes."""
    return {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}


def _layout(low: Mapping[str, Any], tensors: Sequence[Any], sides: Sequence[int]) -> str:
    """Which of B's sides is contiguous."""
    if low.get("stride_bk") == 1 or low.get("stride_bn") == 1:
        return "tn" if low.get("stride_bk") == 1 else "nn"
    if len(tensors) > 1:
        b = tensors[1]
        strides = b.stride() if callable(getattr(b, "stride", None)) else getattr(b, "strides", None)
        if strides is not None and len(strides) == 2:
            contiguous = 1 if strides[1] == 1 else 0
            is_n_by_k = (int(b.shape[0]), int(b.shape[1])) == (sides[1], sides[2])
            return "tn" if (contiguous == 1) == is_n_by_k else "nn"
    return "tn"


def early_config_prune(top_k: int = 8, **options: Any) -> Callable[..., list]:
    """`Tuner(**options).early_config_prune(top_k)`."""
    return Tuner(**options).early_config_prune(top_k)


def perf_model(**arguments: Any) -> float:
    """`Tuner().perf_model`: for an H200, in bursts; others by a Tuner of their own."""
    return Tuner().perf_model(**arguments)
