"""tilecast.torch.accelerate: replaces nn.Linear by tilecast's Linear if the forecast predicts a
gain."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, Optional

import torch

from . import _fusion, _library, _recorded
from ._gate_up import GateUp, Half
from ._kernels import Timer
from ._problem import ConfigError, word_of
from .torch import Linear, why_not_shared


@dataclasses.dataclass(frozen=True)
class Replacement:
    """A Linear of the model. Times are in microseconds, over all its calls in one pass."""

    name: str
    problem: str
    torch_us: float  # time of its GEMMs as torch runs them
    saved_us: float  # saving that is forecast, including kernels that are fused into it
    fused: str  # what tilecast's kernel fuses, such as "swiglu" or "residual"
    why_not: str  # why it was kept; empty if it was replaced


class Accelerated:
    """The result of accelerate: a sequence of `Replacement`. Prints as a table. total_us: forecast
    time of one pass without the replacements."""

    def __init__(self, rows: list[Replacement], total_us: float):
        self.rows, self.total_us = rows, total_us

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    @property
    def saved_us(self) -> float:
        """Returns the forecast saving of one pass."""
        return sum(row.saved_us for row in self.rows)

    def __str__(self) -> str:
        lines = [f"{sum(not row.why_not for row in self.rows)} of {len(self.rows)} Linears replaced; forecast to save "
                 f"{self.saved_us:.1f} of {self.total_us:.1f} us a pass"]
        for row in self.rows:
            outcome = row.why_not or f"{row.torch_us:8.1f} us, saves {row.saved_us:6.1f}  {row.fused}".rstrip()
            lines.append(f"  {row.name:<32} {row.problem:<20} {outcome}")
        return "\n".join(lines)

    __repr__ = __str__


@dataclasses.dataclass
class _Site:
    """A Linear that can be replaced: the indices of its GEMMs among the operations, and its
    gate."""

    name: str
    linear: torch.nn.Linear
    places: list[int]
    gate_first: Optional[bool] = None
    pair: Optional[tuple[int, int, int]] = None  # set if up is a separate Linear
    up: Optional[_Site] = None  # the Linear of up
    way: str = ""  # operator that replaces it, or "pair"

    def key(self, operations: list[_recorded.Operation]) -> tuple:
        return self.pair is None, self.gate_first, *(operations[place].gemm for place in self.places)


class _Pass:
    """The operations of one pass, some of which use our kernels."""

    def __init__(self, recording: _recorded.Recording, timer: Timer, mode: str):
        self.operations, self._recording, self._timer, self._mode = recording.operations, recording, timer, mode
        self.us = self._us(self.operations)

    def _us(self, operations: list[_recorded.Operation]) -> float:
        self._recording.operations = operations
        kernels = _recorded.kernels_of(self._recording, self._mode)
        times = self._timer.times(kernels)
        between, _ = self._timer.launch(len(kernels), "graph", 0)
        return between + sum(times[kernel].us for kernel in kernels)

    def product_us(self, site: _Site) -> float:
        kernels = [_recorded.Kernel("mm", "gemm", "", gemm=self.operations[place].gemm) for place in site.places]
        times = self._timer.times(kernels)
        return sum(times[kernel].us for kernel in kernels)

    def with_ours(self, sites: list[_Site], way: str) -> tuple[float, list[_recorded.Operation]]:
        operations = list(self.operations)
        for site in sites:
            if way == "pair":
                _recorded.joined(site.places[0], site.pair, operations, at=site.name)
                continue
            for place in site.places:
                operations[place] = dataclasses.replace(operations[place], ours=way, at=site.name)
        return self._us(operations), operations

    def fused(self) -> dict[str, str]:
        """Returns what each of our GEMMs fuses, by the Linear's name."""
        self._recording.operations = self.operations
        operations = _recorded.fused(self._recording) if self._mode == "compile" else self.operations
        return {one.at: one.gemm.epilogue.removeprefix("bias_n").strip("+").replace("none", "").replace("+", ", ")
                for one in operations if one and one.ours}


def _gate_first(recording: _recorded.Recording, places: list[int]) -> Optional[bool]:
    """Whether the gate's columns come before up's; None if not all GEMMs are gated in the same
    way."""
    readers = _recorded.readers_of(recording.operations)
    found = set()
    for place in places:
        product = recording.operations[place]
        buffer = product.writes[0].buffer
        gate = None if buffer in recording.returned else _recorded.gate_of(
            product, [recording.operations[one] for one in readers.get(buffer, [])], readers)
        found.add(gate and gate[1])
    return found.pop() if len(found) == 1 else None


def _find_pairs(recording: _recorded.Recording, sites: dict[str, _Site], uses: collections.Counter) -> None:
    """Sets pair and up of gates whose up is a separate Linear."""
    readers = _recorded.readers_of(recording.operations)
    by_place = {site.places[0]: site for site in sites.values()
                if len(site.places) == 1 and site.linear.bias is None and uses[id(site.linear.weight)] == 1}
    for place, site in by_place.items():
        pair = _recorded.pair_of(place, recording.operations, readers)
        written = {recording.operations[one].writes[0].buffer for one in (place, *(pair or ())[:2])}
        up = by_place.get(pair[1]) if pair else None
        if up and up.linear.weight.device == site.linear.weight.device and not written & recording.returned:
            site.pair, site.up = pair, up


def _replace(model: torch.nn.Module, sites: list[_Site]) -> None:
    """Replaces the Linears one after the other: if one fails, as for lack of memory, the model computes as before; a
    gate and up that fail while their weight is permuted do not."""
    homes = collections.defaultdict(list)
    for parent in model.modules():
        for name, child in parent._modules.items():
            homes[child].append((parent._modules, name))
    for site in sites:
        old, new = (site.linear,), (Linear.of(site.linear),) if site.way == "matmul" else ()
        if site.way == "gate_up":
            new = (GateUp.of(site.linear, site.gate_first),)
        elif site.way == "pair":
            old = (site.linear, site.up.linear)
            new = Half.pair(*old)
        for one, made in zip(old, new):
            for modules, name in homes[one]:
                modules[name] = made


def accelerate(model: torch.nn.Module, inputs: tuple, options: dict[str, Any], *, timer: Timer, mode: str,
               least: float) -> Accelerated:
    if isinstance(model, torch.nn.Linear):
        raise ConfigError("model: expected a module that contains torch.nn.Linear modules, got a Linear itself; "
                          "tilecast.torch.Linear.of(layer) converts it")
    recording = _recorded.record(model, inputs, options, linears=True)
    places: dict[torch.nn.Module, list[int]] = collections.defaultdict(list)
    for linear, span in recording.linears:
        places[linear] += [place for place in span if recording.operations[place].gemm]
    uses = collections.Counter(map(id, dict(model.named_parameters(remove_duplicate=False)).values()))
    why, sites = {}, {}
    for name, linear in model.named_modules():
        if not isinstance(linear, torch.nn.Linear) or isinstance(linear, Linear):
            continue
        calls = sum(one is linear for one, _ in recording.linears)
        why[name] = (why_not_shared(linear) or
                     ("" if type(linear) is torch.nn.Linear else f"{type(linear).__name__} is a subclass of Linear") or
                     ("not called" if not calls else "") or
                     (f"{word_of(linear.weight.dtype)} weights"
                      if linear.weight.dtype not in (torch.float16, torch.bfloat16) else "") or
                     ("its calls are not one GEMM of 16-bit floats each" if len(places[linear]) != calls else ""))
        if not why[name]:
            gated = mode == "compile" and uses[id(linear.weight)] == 1 and linear.weight.is_contiguous()
            sites[name] = _Site(name, linear, places[linear], _gate_first(recording, places[linear]) if gated else None)
    if mode == "compile":
        _find_pairs(recording, sites, uses)
    state = _Pass(recording, timer, mode)
    total_us = state.us
    groups: dict[tuple, list[_Site]] = {}
    for site in sorted(sites.values(), key=lambda one: one.pair is None):  # pairs first
        groups.setdefault(site.key(recording.operations), []).append(site)
    rows, ups = {}, set()
    for group in groups.values():
        group = [site for site in group if site.name not in ups]
        if not group:
            continue
        ways = ["pair"] if group[0].pair else ["matmul"] if group[0].gate_first is None else ["gate_up", "matmul"]
        torch_us = state.product_us(group[0]) + (state.product_us(group[0].up) if group[0].pair else 0)
        problem = " ".join({str(state.operations[place].gemm): None for place in group[0].places})
        found = {way: state.with_ours(group, way) for way in ways}
        way = min(ways, key=lambda one: found[one][0])
        saved_us = (state.us - found[way][0]) / len(group)
        gains = torch_us >= least * (torch_us - saved_us)
        if gains:
            state.us, state.operations = found[way]
        for site in group:
            site.way = way if gains else ""
            rows[site.name] = Replacement(site.name, problem, torch_us, saved_us if gains else 0.0, "",
                                          "" if gains else f"{torch_us / (torch_us - saved_us):.3f}x")
            if way == "pair" and gains:
                ups.add(site.up.name)
                rows[site.up.name] = Replacement(site.up.name, problem, 0.0, 0.0, f"into {site.name}", "")
    fused = state.fused()
    replaced = [site for site in sites.values() if site.way]
    _replace(model, replaced)
    _library.sustained = timer.regime == "sustained"
    if replaced and mode == "compile":
        _fusion.enable()
    return Accelerated([dataclasses.replace(rows[name], fused=fused.get(name, rows[name].fused)) if name in rows else
                        Replacement(name, "", 0.0, 0.0, "", reason) for name, reason in why.items()], total_us)
