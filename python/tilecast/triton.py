"""Ranks Triton's matmul configurations before any of them is compiled.

    @triton.autotune(configs, key=["M", "N", "K"],
                     prune_configs_by={"early_config_prune": tilecast.triton.early_config_prune(top_k=8)})

A kernel that loads by TMA is mapped to our equivalent schedule (`schedule_of`; the table
is in docs/triton.md) and predicted analytically without our learned correction; one that loads
by pointers, or has no equivalent schedule, has its own analytic model (model/gemm/triton/triton_form.h).
`tilecast.triton_calibrate` fits the few constants that depend on Triton's code, and learns a correction
of the residuals of measured configurations (triton_learned.py). Triton is not imported: configurations are
objects with `kwargs`, `num_warps` and `num_stages`.
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _native
from ._config import NAMES
from ._files import read_json, write_file
from ._model import ConfigError, _machine, _threads
from ._problem import Gemm, flag, integer, listed, word_of
from .triton_learned import SMS, Learned, seen, to_try

# Lower-case names that kernels use for a configuration's parameters.
_NAMES = {
    **{key: NAMES[key] for key in ("block_m", "block_n", "block_k", "group_m")},
    "num_sms": ("num_sms", "num_programs"),
    "split_k": ("split_k",),
    "flatten": ("flatten",),
    "warp_specialize": ("warp_specialize", "enable_warp_specialization"),
    "tma": ("tma", "use_tma"),
}

# Number of accumulators per thread that leaves room in its 255 registers; the next power of two
# does not.
_MOST_ACCUMULATORS = 128
# Limits: threads per CTA (CUDA), elements per tensor (Triton), bytes by which the rows of a TMA
# load must be divisible.
_MOST_THREADS, _MOST_ELEMENTS, _TMA_BYTES = 1024, 1 << 20, 16
_MOST_INTEGER = (1 << 31) - 1
_MOST_GROUP = 1 << 20  # limit of tilecast's rasters; more tiles than any problem has along M
# Largest magnitude of a Family's numbers, by part. Factors and learned weights are logarithms of times.
_MOST = {"cycles": 1e6, "factors": 10.0, "outside": 1e6, "learned": 1e3, "costs": 1e12}
# Unit of a feature, from the H200 on which the package's family was fitted; a fit for another GPU
# finds its own factor.
_DRAM_TB_PER_S = 5.0


class FamilyWarning(UserWarning):
    """Times come from a family that was fitted to other kernels."""


class _Sm(NamedTuple):
    """Limits of an SM, from the GPU file."""

    threads: int
    registers: int
    shared_bytes: float
    cta_shared_bytes: float
    wgmma: bool


def _sm(gpu: Union[str, os.PathLike] = "h200_sxm") -> _Sm:
    return _Sm(*_native.sm_limits(_machine(gpu, True)))


def _integer(value: Any) -> Optional[int]:
    """An integer of Python, numpy or any other library as an int; None for other objects."""
    try:
        return operator.index(value)
    except TypeError:
        return None


@dataclasses.dataclass(frozen=True)
class Tile:
    """A configuration in tilecast's terms. `persistent`: programs loop over tiles; `tma`: operands are loaded by tensor
    descriptors, otherwise by pointers (default: descriptors for persistent programs)."""

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
    tma: Optional[bool] = None

    def __post_init__(self):
        object.__setattr__(self, "tma", bool(self.persistent if self.tma is None else self.tma))
        for name, least in (("block_m", 1), ("block_n", 1), ("block_k", 16), ("num_warps", 1),
                            ("num_stages", 1), ("group_m", 1), ("split_k", 1)):
            given = getattr(self, name)
            value = _integer(given)
            if isinstance(given, bool) or value is None or not least <= value <= _MOST_INTEGER:
                raise ConfigError(f"{name}: expected an integer from {least} to {_MOST_INTEGER}, got {given!r}")
            if name.startswith(("block", "num_warps")) and value & (value - 1):
                raise ConfigError(f"{name}: expected a power of two, got {value}")
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, values: Mapping[str, Any], persistent: Optional[bool] = None,
           tma: Optional[bool] = None) -> Tile:
        """Makes a Tile from the arguments of a configuration and of the kernel's call, by their names in upper or lower
        case: BLOCK_M, BLOCK_SIZE_M, BM or TILE_M, likewise N and K; GROUP_M, GROUP_SIZE_M, GROUP_SIZE or GM; NUM_SMS or
        NUM_PROGRAMS; SPLIT_K; FLATTEN; WARP_SPECIALIZE or ENABLE_WARP_SPECIALIZATION; TMA or USE_TMA; num_stages;
        num_warps."""
        low = {str(name).lower(): value for name, value in values.items()}

        def number(key: str, otherwise: Optional[int] = None) -> int:
            for name in _NAMES.get(key, (key,)):
                given = low.get(name)
                value = given if isinstance(given, bool) else _integer(given)
                if value is not None:
                    return value
                if given is not None and not hasattr(given, "shape"):
                    raise ConfigError(f"{name}: expected an integer, got {given!r}")
            if otherwise is None:
                raise ConfigError(f"{key}: the configuration has none of the keys {', '.join(_NAMES[key])}")
            return otherwise

        return cls(
            number("block_m"), number("block_n"), number("block_k"),
            number("num_stages", 3) or 1, number("num_warps", 4), number("group_m", 8) or 1,
            number("num_sms", 0) > 0 if persistent is None else persistent,
            number("flatten", 0) > 0, number("warp_specialize", 0) > 0,
            number("split_k", 1), _by_tma(low) if tma is None else tma)

    def kind(self) -> str:
        """Returns its kind, one of KINDS."""
        return ("persistent_tma" if self.persistent else "tma") if self.tma else "pointer_loads"

    def wgmma(self) -> bool:
        """Whether Triton multiplies with wgmma; otherwise with mma.sync."""
        return self.block_m >= 64 and self.num_warps % 4 == 0

    def accumulators(self) -> float:
        """Returns fp32 accumulator registers per thread."""
        return self.block_m * self.block_n / (32 * self.num_warps)

    def spills(self) -> bool:
        """Whether the accumulators leave no room for addresses and descriptors: such kernels are slower by a factor
        that other kernels do not predict."""
        return self.accumulators() > _MOST_ACCUMULATORS


def _by_tma(low: Mapping[str, Any]) -> Optional[bool]:
    """Whether the call's arguments have tensor descriptors (True) or strides (False); None without either."""
    for name in _NAMES["tma"]:
        said = _integer(low.get(name))
        if said is not None:
            return said > 0
    if any(hasattr(value, "block_shape") for value in low.values()):
        return True
    return False if any(name.startswith("stride_") for name in low) else None


def schedule_of(tile: Tile, sm: Optional[_Sm] = None, element_bytes: int = 2) -> list[str]:
    """Returns tilecast's configurations that correspond to a tile of wgmma with TMA, closest first: if one
    cannot run (for example for lack of shared memory to stage C), the next one replaces it."""
    sm = sm or _sm()
    warpgroups = max(1, tile.num_warps // 4)
    # Triton gives each warpgroup at least 64 rows; remaining warpgroups share the columns.
    along_m = min(warpgroups, max(1, tile.block_m // 64))
    shape = f"{tile.block_m}x{tile.block_n}x{tile.block_k}"
    raster = f"raster=grouped_m,group={min(tile.group_m, _MOST_GROUP)}"
    columns = max(1, tile.block_n // (warpgroups // along_m))
    chunks = max(1, tile.block_m // along_m // 64) * max(1, columns // 64)
    # Triton runs one program per SM, however small. Slots beyond the chunks of C cost no time, and
    # keep a second CTA of tilecast's kernel off the SM.
    slot = 64 * min(64, columns) * 2 * warpgroups
    ring = element_bytes * tile.num_stages * tile.block_k * (tile.block_m + tile.block_n)
    alone = -(-int(sm.shared_bytes / 2 - ring) // slot)
    slots = [s for s in (max(chunks, alone), chunks, chunks // 2, 2, 1) if s > 0]
    found = []
    for m, n in dict.fromkeys(((along_m, warpgroups // along_m), (1, warpgroups), (2, 1), (1, 1))):
        if tile.num_stages == 1:
            found.append(f"blocked:tile={shape},warpgroups={m}x{n},ctas=1,c_slots=0,{raster}")
            continue
        loop = f"tile={shape},stages={tile.num_stages},warpgroups={m}x{n}"
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
                      for ctas in _occupancies(tile, sm, ring)]
    return list(dict.fromkeys(found))


def _occupancies(tile: Tile, sm: _Sm, ring: int) -> list[int]:
    """Returns the CTAs per SM that threads and shared memory allow, and smaller numbers."""
    most = min(sm.threads // (32 * tile.num_warps), int(sm.cta_shared_bytes) // max(1, ring),
               sm.registers // int(32 * tile.num_warps * (tile.accumulators() + 64)))
    return list(range(max(1, min(4, most)), 0, -1))


# Kinds of kernels to which families are fitted: persistent programs with TMA loads, one program per
# tile with TMA loads, pointer loads, pointer loads of groups of rows. The package has no family for
# the second kind.
KINDS = ("persistent_tma", "tma", "pointer_loads", "fused_moe")


@dataclasses.dataclass(frozen=True)
class Family:
    """Constants that depend on Triton's code rather than the machine (docs/dev/notebook/triton.md explains the terms).

    cycles     added to the GPU file's values for our own kernels, by name (CYCLES)
    factors    of the time, as logarithms, by name (each is multiplied by a feature from `_features`)
    outside    microseconds per million out-of-bounds rows that TMA loads as zeros
    learned    correction of the residuals of measured configurations
    costs      of the analytic model for kernels without an equivalent schedule, by name (triton_form.h); the
               package's if empty
    fitted_to  the KINDS that it applies to; empty for any
    """

    cycles: Mapping[str, float] = dataclasses.field(default_factory=dict)
    factors: Mapping[str, float] = dataclasses.field(default_factory=dict)
    outside: float = 0.0
    learned: Learned = Learned()
    costs: Mapping[str, float] = dataclasses.field(default_factory=dict)
    fitted_to: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises ConfigError for unknown names and for numbers that are not finite or exceed the
        limits."""
        for part, names, known in (("cycles", self.cycles, CYCLES), ("factors", self.factors, FACTORS),
                                   ("fitted_to", self.fitted_to, KINDS)):
            unknown = set(names) - set(known)
            if unknown:
                raise ConfigError(f"{part}: unknown {', '.join(sorted(unknown))}")
        for part, numbers in (("cycles", self.cycles.values()), ("factors", self.factors.values()),
                              ("costs", self.costs.values()), ("outside", [self.outside]),
                              ("learned", itertools.chain(*self.learned.table()))):
            if not all(abs(one) <= _MOST[part] for one in numbers):
                raise ConfigError(f"{part}: expected numbers of at most {_MOST[part]:g}")

    def times_us(self, tiles: Sequence[Tile], m: int, n: int, k: int, times: Sequence[float]) -> list[float]:
        """Corrected times (us) of tiles whose uncorrected times are `times`."""
        times = [self._by_terms(tile, m, n, k, us) for tile, us in zip(tiles, times)]
        # The learned correction does not cover kernels that spill.
        places = [i for i, tile in enumerate(tiles) if self.learned.rows and not tile.spills()]
        off = self.learned.off([seen(tiles[i], m, n, k, times[i]) for i in places])
        for i, one in zip(places, off):
            times[i] *= _exp(one)
        return times

    def _by_terms(self, tile: Tile, m: int, n: int, k: int, us: float) -> float:
        if tile.tma:
            # Loads of zeros overlap the rest, so the longer of the two dominates.
            us = math.hypot(us, self.outside * _outside_rows(tile, m, n, k) * 1e-6)
        if self.factors:
            features = _features(tile, m, n, k, us)
            us *= _exp(sum(self.factors.get(name, 0.0) * one for name, one in features.items()))
        return us

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Saves the family as JSON, for `Family.load`."""
        terms = {name: getattr(self, name) for name in ("fitted_to", "costs", "cycles", "factors", "outside")}
        text = json.dumps({"schema": 3, "kernel_family": "triton", **terms}, indent=2)
        # One line per row, with its weight last.
        rows = ",\n".join(f"    {list(row)}" for row in self.learned.table())
        write_file(path, f'{text[:-2]},\n  "learned": [\n{rows}\n  ]\n}}\n')

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> Family:
        """Loads a family; raises FileError, or ConfigError for other content."""
        values = read_json(path)
        try:
            schema = values["schema"]
            if schema not in (1, 2, 3):
                raise ConfigError(f"schema: expected 1, 2 or 3, got {schema!r}")
            if values.get("kernel_family", "triton" if schema == 1 else None) != "triton":
                raise ConfigError("kernel_family: expected \"triton\"")
            if schema < 3:
                values = {**values, "costs": {}, "fitted_to": ()}
            cycles, factors, costs = ({name: float(one) for name, one in values[part].items()}
                                      for part in ("cycles", "factors", "costs"))
            family = cls(cycles, factors, float(values["outside"]), Learned.of_table(values.get("learned", ())), costs,
                         tuple(map(str, values["fitted_to"])))
            family.check()
            return family
        except ConfigError as error:
            why = str(error)
        except KeyError as error:
            why = f"{error.args[0]}: missing"
        except (TypeError, ValueError, AttributeError, OverflowError):
            why = "expected a file saved by tilecast.triton_calibrate"
        raise ConfigError(f"{os.fspath(path)}: {why}")


def _exp(logarithm: float) -> float:
    """math.exp, without an overflow for tiles that are far beyond any that was fitted."""
    return math.exp(min(logarithm, 700.0))


@functools.cache
def default_family(kind: str, wgmma: bool = True) -> Family:
    """Returns the package's family for one of KINDS, fitted to such kernels or to the closest
    kind; the one for GPUs without wgmma if not `wgmma`."""
    name = kind if kind in ("pointer_loads", "fused_moe") else "persistent_tma"
    if not wgmma:
        name = "pointer_loads_mma"
    return Family.load(os.path.join(os.path.dirname(__file__), f"triton_{name}.json"))


def times_us(tiles: Iterable[Tile], m: Union[int, Sequence[int]], n: int, k: int, *, dtype: Any = "fp16",
             layout: str = "tn", gpu: Union[str, os.PathLike] = "h200_sxm",
             regime: str = "burst", inputs: str = "normal", family: Optional[Family] = None, batch: int = 1,
             epilogue: str = "none", threads: int = 0, constant_k: bool = True) -> list[float]:
    """Returns the predicted time in microseconds of each tile on C[m,n] = A[m,k] B; infinity for
    one that Triton cannot launch (`why_not_launched`, and buffers that do not fit shared memory). A
    list of `m` has the rows of each group, which has a separate B and begins a tile (fused MoE
    kernels); `batch` counts GEMMs of one launch, and `epilogue` is "none" or "scale_block".
    `constant_k`: kernels with pointer loads are compiled for this K, as by torch.inductor, so that a
    loop over one K block is removed, and with it the ring of stages. It does not apply to groups and
    block scales.
    Without `family` each tile gets the package's family for its kind (`Tile.kind`). A FamilyWarning
    reports kernels that a family was not fitted to. Raises ConfigError for problems that cannot be
    predicted."""
    tiles = listed("tiles", tiles, lambda one: isinstance(one, Tile))
    if not all(isinstance(tile, Tile) for tile in tiles):
        raise TypeError("tiles: expected instances of tilecast.triton.Tile")
    word, threads = word_of(dtype), _threads(threads)
    # Only the analytic model of Triton's kernels supports batches, groups and block scales; the
    # others have an equivalent schedule.
    grouped = isinstance(m, Sequence)
    plain = batch == 1 and epilogue == "none" and not grouped
    constant = flag("constant_k", constant_k) and epilogue == "none" and not grouped
    problem = Gemm(m, n, k, dtype, layout, epilogue, batch)
    m = sum(m) if grouped else m
    machine, conditions = _machine(gpu, True), (regime, inputs, "analytic")
    layout = str(layout).lower()
    wgmma = _sm(gpu).wgmma
    families, unlike = _families(tiles, word, layout, family, epilogue, grouped, wgmma)
    able = [i for i, tile in enumerate(tiles) if not why_not_launched(tile, m, n, k, word, layout)]
    pointers = default_family("pointer_loads", wgmma)
    times, least = [math.inf] * len(tiles), [0.0] * len(tiles)
    mapped = []  # tiles with TMA loads that an equivalent schedule may predict
    # The problem is checked even if no tile is left.
    for costs, places in _by(able, lambda i: families[i].costs or pointers.costs) or [(pointers.costs, [])]:
        answers = _native.triton_times(
            machine, problem.texts(), conditions,
            [(t.block_m, t.block_n, t.block_k, t.num_stages, t.num_warps, t.group_m, t.split_k, bool(t.persistent),
              bool(t.flatten), t.tma, constant and not t.tma) for t in map(tiles.__getitem__, places)],
            dict(costs), threads)
        for i, (seconds, bound) in zip(places, answers):
            times[i], least[i] = seconds * 1e6, bound * 1e6
            if plain and seconds < math.inf and tiles[i].tma and tiles[i].wgmma() and tiles[i].block_n >= 16:
                mapped.append(i)
    ours = _as_ours(tiles, mapped, problem, machine, conditions, families, word, threads)
    # Terms that were fitted to the equivalent schedule do not apply to other predictions.
    for of, places in _by([i for i, us in enumerate(times) if us < math.inf],
                          lambda i: families[i] if i in ours or not tiles[i].tma else pointers):
        for i, us in zip(places, of.times_us([tiles[i] for i in places], m, n, k,
                                             [ours.get(i, times[i]) for i in places])):
            times[i] = max(least[i], us)
    for why in unlike:
        warnings.warn(f"tilecast.triton: {why}", FamilyWarning, stacklevel=2)
    return times


def why_not_launched(tile: Tile, m: int, n: int, k: int, dtype: Any, layout: str) -> str:
    """Returns why Triton cannot compile or launch a tile on a problem, apart from shared memory;
    empty if it can."""
    if 32 * tile.num_warps > _MOST_THREADS:
        return f"{tile.num_warps} warps: a CTA has at most {_MOST_THREADS} threads"
    if max(tile.block_m * tile.block_n, tile.block_m * tile.block_k, tile.block_n * tile.block_k) > _MOST_ELEMENTS:
        return f"a tile of {tile.block_m}x{tile.block_n}x{tile.block_k}: a tensor has at most {_MOST_ELEMENTS} elements"
    element_bytes = _element_bytes(word_of(dtype))
    if element_bytes == 1 and tile.block_k < 32:
        return f"block_k {tile.block_k}: fp8 requires at least 32"
    if tile.tma:
        a = (k, tile.block_k) if layout in ("tn", "nn") else (m, tile.block_m)
        b = (k, tile.block_k) if layout in ("tn", "tt") else (n, tile.block_n)
        for name, (row, of_block) in (("A", a), ("B", b)):
            if row * element_bytes % _TMA_BYTES:
                return f"rows of {name} have {row * element_bytes} bytes: TMA loads multiples of {_TMA_BYTES}"
            if of_block * element_bytes < _TMA_BYTES:
                return (f"rows of a block of {name} have {of_block * element_bytes} bytes: TMA loads {_TMA_BYTES} or "
                        "more")
    return ""


def _as_ours(tiles: Sequence[Tile], places: Sequence[int], problem: Gemm, machine: tuple, conditions: tuple,
             families: Sequence[Family], word: str, threads: int) -> dict[int, float]:
    """Returns microseconds of tiles that are predicted by an equivalent schedule."""
    times = {}
    sm, element_bytes = _sm(machine[0]), _element_bytes(word)
    # Splits beyond the number of K blocks add zeros, so they are at least as slow as one split per
    # block.
    of_blocks = {}
    for i in places:
        k_blocks = -(-problem.k // tiles[i].block_k)
        of_blocks[i] = dataclasses.replace(tiles[i], split_k=max(1, min(tiles[i].split_k, k_blocks)))
    # Triton also multiplies out-of-bounds rows, so the problem is rounded up to whole tiles of
    # rows. tilecast's kernels skip them.
    for (rows, cycles), some in _by(places, lambda i: (-(-problem.m // tiles[i].block_m) * tiles[i].block_m,
                                                       families[i].cycles)):
        answers = _native.family_times(machine, dataclasses.replace(problem, m=rows).texts(), conditions,
                                       [schedule_of(of_blocks[i], sm, element_bytes) for i in some],
                                       dict(cycles), threads)
        times.update((i, seconds * 1e6) for i, (seconds, _, _, config) in zip(some, answers) if config)
    return times


def _by(places: Sequence[int], key: Callable[[int], Any]) -> list[tuple[Any, list[int]]]:
    """Groups indices by equal keys, in order of first occurrence."""
    groups: list[tuple[Any, list[int]]] = []
    for i in places:
        one = key(i)
        for known, members in groups:
            if known is one or known == one:
                members.append(i)
                break
        else:
            groups.append((one, [i]))
    return groups


def _is_fp8(word: str) -> bool:
    return any(name in word.lower() for name in ("fp8", "float8", "e4m3", "e5m2"))


def _element_bytes(word: str) -> int:
    return 1 if _is_fp8(word) else 2


def _families(tiles: Sequence[Tile], word: str, layout: str, family: Optional[Family],
              epilogue: str = "none", grouped: bool = False,
              wgmma: bool = True) -> tuple[list[Family], list[str]]:
    """Returns the family of each tile, `family` if it was fitted to the tile's kind, else the
    package's; and a warning for each kind that neither was fitted to."""
    if family is not None:
        if not isinstance(family, Family):
            raise TypeError(f"family: expected a tilecast.triton.Family, got {family!r}")
        family.check()
    found, warned = [], []  # type: list[Family], list[str]
    for tile in tiles:
        kind = "fused_moe" if grouped else tile.kind()
        if family is not None and (not family.fitted_to or kind in family.fitted_to):
            found.append(family)
            continue
        found.append(default_family(kind, wgmma))
        if family is not None:
            warned.append(f"{kind}: the family was fitted to other kernels ({', '.join(family.fitted_to)}); "
                          "the package's is used")
        what = _unlike(tile, kind, word, layout, epilogue)
        if not wgmma and not what and (kind == "fused_moe" or _is_fp8(word)):
            what = f"{'fused MoE' if kind == 'fused_moe' else 'fp8'} on a GPU without wgmma"
        if what:
            warned.append(f"no family was fitted to {what}; that of {found[-1].fitted_to[0]} is used")
    return found, list(dict.fromkeys(warned))


def _unlike(tile: Tile, kind: str, word: str, layout: str, epilogue: str) -> str:
    """Returns properties of a kernel that the package's families were not fitted to; empty if
    none."""
    if tile.split_k > 1:
        return "split K"
    if tile.warp_specialize:
        return "warp specialization"
    if _is_fp8(word) and (tile.tma or epilogue == "none" or kind == "fused_moe"):
        return "fp8"
    if kind == "fused_moe" and tile.tma:
        return "fused MoE with TMA"
    if kind == "tma":
        return "one program for each tile with TMA"
    if tile.tma and layout != "tn":
        return f"layout {layout} with TMA"
    if tile.tma and not tile.wgmma():
        return "mma.sync with TMA"
    if tile.persistent and not tile.tma:
        return "persistent programs with pointer loads"
    return ""


def ranked(tiles: Sequence[Tile], m: int, n: int, k: int, **options: Any) -> list[int]:
    """Returns indices in `tiles`, fastest first; tiles that cannot run come last. Options are as in
    `times_us`."""
    tiles = list(tiles)
    return sorted(range(len(tiles)), key=times_us(tiles, m, n, k, **options).__getitem__)


def picked(tiles: Sequence[Tile], m: int, n: int, k: int, count: int, *, constant_k: bool = True,
           **options: Any) -> list[int]:
    """Returns indices in `tiles` of the `count` tiles to measure: the fastest first, then tiles
    that come next or are so different that they may still be faster; none if no tile can be
    launched. Options are as in `times_us`."""
    tiles = list(tiles)
    return worth_measuring(tiles, times_us(tiles, m, n, k, constant_k=constant_k, **options), m, n, k, count,
                           constant_k and options.get("epilogue", "none") == "none")


def worth_measuring(tiles: Sequence[Tile], times: Sequence[float], m: int, n: int, k: int, count: int,
                    constant_k: bool) -> list[int]:
    """Picks as `picked` from tiles with predicted times."""
    if integer("count", count) < 1:
        raise ConfigError(f"count: expected at least 1, got {count}")
    kernels: dict[Any, int] = {}
    for i, (tile, us) in enumerate(zip(tiles, times)):
        if us < math.inf:
            # Without a loop over K blocks, kernels that differ in `num_stages` are the same.
            without_loop = constant_k and not tile.tma and k <= tile.block_k
            kernels.setdefault(dataclasses.replace(tile, num_stages=1) if without_loop else i, i)
    able = list(kernels.values())
    first = to_try([seen(tiles[i], m, n, k, times[i]) for i in able], [times[i] for i in able], count)
    return [able[i] for i in first]


# Names of Family.cycles and Family.factors.
CYCLES = ("turn", "mma_issue", "own_copy", "load_wait", "epilogue", "chunk")
FACTORS = ("all", "spilled", "two_warpgroups", "two_warpgroups_short_k", "two_warpgroups_small",
           "two_warpgroups_deep", "short_k", "one_wave", "dram", "block_k_128", "tall")


def _features(tile: Tile, m: int, n: int, k: int, us: float) -> dict[str, float]:
    """Returns values of the features named in FACTORS."""
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
    """Returns out-of-bounds rows of A and of B loaded by all tiles, in K blocks of 64."""
    along_m, along_n = -(-m // tile.block_m), -(-n // tile.block_n)
    rows = (along_m * tile.block_m - m) * along_n + (along_n * tile.block_n - n) * along_m
    return rows * -(-k // 64)


class Tuner:
    """Both hooks of @triton.autotune's prune_configs_by, for one GPU and family.

    gpu         a name from `tilecast.gpus()`, or the path of a GPU file
    dtype       of A and B; default: that of the call's A, else fp16
    layout      "tn" (B is [N,K]) or "nn" (B is [K,N]), "tt" and "nt" if A is [K,M]; default: from the call's
                strides, else tn
    persistent  whether programs loop over tiles; default: whether the call or the configuration
                has NUM_SMS
    tma         whether operands are loaded by tensor descriptors; default: true if the call has descriptors, false
                if it has strides, and if neither, true for persistent programs
    names       names that `Tile.of` does not know:
                {"block_m": "XBLOCK", "m": "rows", ...}
    family      a family fitted by `calibrate`, or the path of its file; default: the package's own
    """

    def __init__(self, *, gpu: Union[str, os.PathLike] = "h200_sxm", dtype: Any = None,
                 layout: Optional[str] = None, regime: str = "burst",
                 persistent: Optional[bool] = None, tma: Optional[bool] = None,
                 names: Optional[Mapping[str, str]] = None,
                 family: Union[Family, str, os.PathLike, None] = None, threads: int = 0):
        self.gpu, self.dtype, self.layout, self.regime = gpu, dtype, layout, regime
        self.persistent, self.tma, self.threads = persistent, tma, threads
        self.family = Family.load(family) if isinstance(family, (str, os.PathLike)) else family
        self.names = {theirs: ours for ours, theirs in (names or {}).items()}
        unknown = set(self.names.values()) - set(_NAMES) - set("mnkab") - {"num_stages", "num_warps"}
        if unknown:
            raise ConfigError(f"names: unknown {', '.join(sorted(unknown))}")
        # A problem that the model can predict fails only for an argument of this Tuner.
        self._ask(times_us, [Tile(128, 128, 64)], (512, 512, 512, "fp16", layout or "tn"))

    def early_config_prune(self, top_k: int = 8) -> Callable[..., list]:
        """Returns a function for prune_configs_by["early_config_prune"]. It keeps `top_k`
        configurations, the one with the shortest predicted time first (`picked`); or all of them in
        order, with a warning, for a problem that the model cannot predict or for which no
        configuration can be launched. When called, it raises ConfigError for missing names and for
        configurations that Triton would reject."""
        if integer("top_k", top_k) < 1:
            raise ConfigError(f"top_k: expected at least 1, got {top_k}")

        def prune(configs: Sequence[Any], named_args: Mapping[str, Any], **kwargs: Any) -> list:
            arguments = {**named_args, **kwargs}
            tiles = self._tiles(configs, arguments)
            places = self._answered(picked, tiles, arguments, count=top_k)
            if places == [] and tiles:
                why = why_not_launched(tiles[0], *self._problem(arguments)) or "no configuration fits shared memory"
                warnings.warn(f"tilecast.triton: not pruned: {why}", stacklevel=2)
            return [configs[i] for i in places] if places else list(configs)

        return prune

    def perf_model(self, **arguments: Any) -> float:
        """Returns microseconds of one configuration, for prune_configs_by["perf_model"]; infinity
        for all configurations of a problem that the model cannot predict, with a warning."""
        times = self._answered(times_us, [Tile.of(self._ours(arguments), self.persistent, self.tma)], arguments)
        return math.inf if times is None else times[0]

    def rank(self, configs: Sequence[Any], arguments: Mapping[str, Any]) -> list:
        """Returns all configurations, shortest predicted time first; those that cannot run come
        last."""
        places = self._ask(ranked, self._tiles(configs, arguments), self._problem(arguments))
        return [configs[i] for i in places]

    def _tiles(self, configs: Sequence[Any], arguments: Mapping[str, Any]) -> list[Tile]:
        return [Tile.of(self._ours({**arguments, **_said(config)}), self.persistent, self.tma)
                for config in configs]

    def _ask(self, question: Callable[..., list], tiles: Sequence[Tile],
             problem: tuple[int, int, int, str, str], **more: int) -> list:
        m, n, k, dtype, layout = problem
        return question(tiles, m, n, k, dtype=dtype, layout=layout, gpu=self.gpu, regime=self.regime,
                        family=self.family, threads=self.threads, constant_k=False, **more)

    def _answered(self, question: Callable[..., list], tiles: Sequence[Tile],
                  arguments: Mapping[str, Any], **more: int) -> Optional[list]:
        """Returns None, with a warning, for a problem that Triton runs and the model cannot
        predict."""
        problem = self._problem(arguments)
        try:
            return self._ask(question, tiles, problem, **more)
        except ConfigError as error:
            warnings.warn(f"tilecast.triton: not pruned: {error}", stacklevel=3)
            return None

    def _ours(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {self.names.get(name, name): value for name, value in values.items()}

    def _problem(self, arguments: Mapping[str, Any]) -> tuple[int, int, int, str, str]:
        low = {name.lower(): value for name, value in self._ours(arguments).items()}
        tensors = _operands(low)
        sides = [side for side in map(_integer, map(low.get, "mnk")) if side is not None]
        if len(sides) < 3 and len(tensors) > 1 and len(tensors[0].shape) == len(tensors[1].shape) == 2:
            m, k = (int(side) for side in tensors[0].shape)
            sides = [m, int(tensors[1].shape[0 if tensors[1].shape[1] == k else 1]), k]
        if len(sides) < 3:
            raise ConfigError("M, N, K: not arguments of the call, and not known from the shapes of two matrices; "
                              "names={'m': ..., 'n': ..., 'k': ...} gives the names of these arguments")
        first = getattr(tensors[0], "base", tensors[0]) if tensors else None
        dtype = self.dtype or getattr(first, "dtype", None) or "fp16"
        m, n, k = sides
        return m, n, k, word_of(dtype), self.layout or _layout(low, tensors, sides)


def _said(config: Any) -> dict[str, Any]:
    """Returns the parameters of a triton.Config, or of any object with the same attributes."""
    return {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}


def _operands(low: Mapping[str, Any]) -> list[Any]:
    """Returns A and B of a call, by their names, else its first two tensors."""
    tensors = {name: value for name, value in low.items() if len(getattr(value, "shape", ())) > 0}
    a, b = ([tensors[name] for name in (one, f"{one}_ptr", f"{one}_desc", f"{one}_desc_ptr") if name in tensors]
            for one in "ab")
    return [a[0], b[0]] if a and b else list(tensors.values())[:2]


def _layout(low: Mapping[str, Any], tensors: Sequence[Any], sides: Sequence[int]) -> str:
    """Returns the layout in the letters of `predict`, from the contiguous dimensions of A and B."""
    m, n, k = sides
    strided = {name: low.get(f"stride_{name}") for name in ("am", "ak", "bk", "bn")}
    a_along_m = _first_contiguous(strided["am"], strided["ak"], tensors[:1], m, k, False)
    b_along_n = _first_contiguous(strided["bn"], strided["bk"], tensors[1:2], n, k, True)
    return {(False, False): "tn", (False, True): "nn", (True, True): "nt", (True, False): "tt"}[a_along_m, b_along_n]


def _first_contiguous(side: Any, along_k: Any, tensors: Sequence[Any], rows: int, k: int, is_b: bool) -> bool:
    """Whether the rows of a `rows` by `k` matrix are contiguous instead of K, by its strides or its tensor's."""
    if side == 1 or along_k == 1:
        return along_k != 1
    for tensor in tensors:
        strides = tensor.stride() if callable(getattr(tensor, "stride", None)) else getattr(tensor, "strides", None)
        if strides is not None and len(strides) == 2:
            contiguous = 1 if strides[1] == 1 else 0
            # A square B is [N,K] if it is a descriptor, as in Triton's tutorials; otherwise it is
            # [K,N], as in torch.mm.
            square_b = is_b and rows == k and not hasattr(tensor, "block_shape")
            is_rows_by_k = (int(tensor.shape[0]), int(tensor.shape[1])) == (rows, k) and not square_b
            return (contiguous == 1) != is_rows_by_k
    return False


def early_config_prune(top_k: int = 8, *, gpu: Union[str, os.PathLike] = "h200_sxm", dtype: Any = None,
                       layout: Optional[str] = None, regime: str = "burst", persistent: Optional[bool] = None,
                       tma: Optional[bool] = None, names: Optional[Mapping[str, str]] = None,
                       family: Union[Family, str, os.PathLike, None] = None, threads: int = 0) -> Callable[..., list]:
    """`Tuner(...).early_config_prune(top_k)`: keeps the `top_k` configurations that are worth measuring. The other
    arguments are Tuner's, and are checked here."""
    return Tuner(gpu=gpu, dtype=dtype, layout=layout, regime=regime, persistent=persistent, tma=tma, names=names,
                 family=family, threads=threads).early_config_prune(top_k)


@functools.cache
def _default_tuner() -> Tuner:
    return Tuner()


def perf_model(**arguments: Any) -> float:
    """`Tuner().perf_model`: for an H200 in bursts; for other GPUs make a Tuner."""
    return _default_tuner().perf_model(**arguments)
