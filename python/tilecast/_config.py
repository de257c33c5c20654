"""Configurations as values: complete or partial ones, as `--config` takes them (docs/configurations.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from ._problem import ConfigError, integer, text

# Names that kernels use for a configuration's parameters, in lower case.
NAMES = {
    "block_m": ("block_m", "block_size_m", "bm", "tile_m"),
    "block_n": ("block_n", "block_size_n", "bn", "tile_n"),
    "block_k": ("block_k", "block_size_k", "bk", "tile_k"),
    "group_m": ("group_m", "group_size_m", "group_size", "gm"),
}
_NAMES = {**NAMES, "stages": ("stages", "num_stages"), "warps": ("warps", "num_warps")}
_WARPS_PER_WARPGROUP, _WGMMA_ROWS = 4, 64


class Config:
    """A configuration of tilecast's GEMM kernels of which only some parts are given; the fastest candidate that matches
    is taken, as for `predict --config`.

    tile      (M, N) or (M, N, K) of a CTA
    stages    K blocks in shared memory
    cluster   CTAs (M, N) that share operands
    warps     warps that share a tile, 4 for each warpgroup, without the producer's
    schedule  name, abbreviation or prefix; by default any
    keys      other keys by name: ctas=2, raster="grouped_m", group=8 (docs/configurations.md)

    >>> str(Config((128, 256, 64), stages=4, cluster=(2, 1)))
    'tile=128x256x64 stages=4 cluster=2x1'
    """

    def __init__(self, tile: Optional[Sequence[int]] = None, stages: Optional[int] = None,
                 cluster: Optional[Sequence[int]] = None, *, warps: Optional[int] = None,
                 schedule: Optional[str] = None, **keys: Any):
        sizes = _sizes("tile", tile, (2, 3))
        given = {"tile": sizes, "stages": stages, "cluster": _sizes("cluster", cluster, (2,)), **keys}
        if warps is not None:
            given["warpgroups"] = _warpgroups(integer("warps", warps), sizes)
        self.parts = {name: _value(name, value) for name, value in given.items() if value is not None}
        self.schedule = None if schedule is None else text("schedule", schedule)
        if not self.parts and not self.schedule:
            raise ConfigError("Config: expected at least one part, such as tile=(128, 256, 64)")

    @classmethod
    def of(cls, given: Union[Sequence[Any], Mapping[str, Any]]) -> Config:
        """Makes a Config from a mapping of its arguments, whose names may also be Triton's (BLOCK_M or BLOCK_SIZE_M or
        BM, num_stages, num_warps, GROUP_M); or from a tuple: (M, N, K), followed by stages and warps if they are given,
        or ((M, N, K), stages, cluster)."""
        if not isinstance(given, Mapping):
            if given and isinstance(given[0], Iterable) and not isinstance(given[0], str):
                names = ("tile", "stages", "cluster")
            else:
                names = ("block_m", "block_n", "block_k", "stages", "warps")
            if not given or len(given) > len(names):
                raise ConfigError("expected (M, N, K), perhaps with stages and warps, or ((M, N, K), stages, cluster), "
                                  f"got {given!r}")
            given = dict(zip(names, given))
        low = {str(name).lower(): value for name, value in given.items()}
        found: dict[str, Any] = {}
        for name, names in _NAMES.items():
            own = [one for one in names if one in low]
            if len(own) > 1:
                raise ConfigError(f"{' and '.join(own)}: expected one of them")
            found.update({name: low.pop(one) for one in own})
        blocks = {side: found.pop(side) for side in ("block_m", "block_n", "block_k") if side in found}
        if blocks and not blocks.keys() >= {"block_m", "block_n"}:
            raise ConfigError(f"{', '.join(blocks)}: expected both BLOCK_M and BLOCK_N, perhaps with BLOCK_K")
        more = {"tile": list(blocks.values())} if blocks else {}
        if "group_m" in found:
            more.update(raster="grouped_m", group=found.pop("group_m"))
        if twice := more.keys() & low.keys():
            raise ConfigError(f"{', '.join(sorted(twice))}: given twice")
        low.update(more)
        return cls(**low, **found)

    def __str__(self) -> str:
        parts = [f"{name}={value}" for name, value in self.parts.items()]
        return " ".join([self.schedule, *parts] if self.schedule else parts)

    def __repr__(self) -> str:
        return f"tilecast.Config({str(self)!r})"


def _sizes(name: str, sizes: Any, lengths: tuple[int, ...]) -> Optional[list[int]]:
    if sizes is None:
        return None
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise TypeError(f"{name}: expected {' or '.join(map(str, lengths))} integers, got {sizes!r}")
    values = [integer(name, size) for size in sizes]
    if len(values) not in lengths:
        raise ConfigError(f"{name}: expected {' or '.join(map(str, lengths))} integers, got {values}")
    return values


def _value(name: str, value: Any) -> str:
    if isinstance(value, str):
        if not value or set(value) & set(" \t\n,:="):
            raise ConfigError(f"{name}: expected one word, got {value!r}")
        return value
    if isinstance(value, Iterable):
        return "x".join(str(integer(name, one)) for one in value)
    return str(integer(name, value))


def _warpgroups(warps: int, tile: Optional[list[int]]) -> tuple[int, int]:
    """Splits a tile along M if each warpgroup gets whole wgmmas, else along N, as the candidates do."""
    groups = warps // _WARPS_PER_WARPGROUP
    if groups < 1 or warps % _WARPS_PER_WARPGROUP:
        raise ConfigError(f"warps: expected a multiple of {_WARPS_PER_WARPGROUP}, got {warps}")
    if tile is None:
        raise ConfigError("warps: give the tile too, or warpgroups=(M, N)")
    return (1, groups) if tile[0] % (groups * _WGMMA_ROWS) else (groups, 1)
