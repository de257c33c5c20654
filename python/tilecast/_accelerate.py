"""tilecast.torch.accelerate: puts tilecast's Linear in where the forecast says that it gains."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Optional

import torch

from . import _recorded
from ._kernels import Kernel, Timer
from ._problem import Gemm


@dataclasses.dataclass(frozen=True)
class Replacement:
    """A Linear of the model. Times in microseconds, of one call."""

    name: str
    problem: str
    torch_us: float  # with the activation behind it, if that is fused
    tilecast_us: float
    activation: Optional[str]  # fused into the kernel
    why_not: str  # why it was left; empty if it was replaced


class Accelerated:
    """What accelerate did: a sequence of `Replacement`. Prints as a table."""

    def __init__(self, rows: list[Replacement]):
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    @property
    def saved_us(self) -> float:
        """Forecast, of one pass."""
        return sum(row.torch_us - row.tilecast_us for row in self.rows if not row.why_not)

    def __str__(self) -> str:
        lines = [f"{sum(not row.why_not for row in self.rows)} of {len(self.rows)} Linears replaced; forecast to save "
                 f"{self.saved_us:.1f} us a pass"]
        for row in self.rows:
            outcome = row.why_not or f"{row.torch_us / row.tilecast_us:.3f}x" + (f", with {row.activation}" if row.activation else "")
            lines.append(f"  {row.name:<40} {row.problem:<20} {outcome}")
        return "\n".join(lines)

    __repr__ = __str__


def _activation_of(module: Optional[torch.nn.Module]) -> Optional[str]:
    if type(module) is torch.nn.GELU:
        return "gelu_tanh" if module.approximate == "tanh" else "gelu"
    return {torch.nn.ReLU: "relu", torch.nn.SiLU: "silu"}.get(type(module))


def _inputs_of_linears(model: torch.nn.Module, inputs: tuple, options: dict[str, Any]) -> dict[torch.nn.Module, torch.Tensor]:
    """The largest input of each Linear in one pass, with a shape alone."""
    found: dict[torch.nn.Module, torch.Tensor] = {}

    def see(module: torch.nn.Module, arguments: tuple) -> None:
        if type(module) is torch.nn.Linear and arguments:
            known = found.get(module)
            if known is None or known.numel() < arguments[0].numel():
                found[module] = arguments[0]

    handle = torch.nn.modules.module.register_module_forward_pre_hook(see)
    try:
        _recorded.record(model, inputs, options, repeated=False)
    finally:
        handle.remove()
    return found


def accelerate(model: torch.nn.Module, inputs: tuple, options: dict[str, Any], *, timer: Timer, least: float,
               why_not_shared: Callable, replaced: Callable) -> Accelerated:
    """`replaced(linear, activation)` makes the Linear to put in; `why_not_shared(linear)` says why there is none."""
    found = _inputs_of_linears(model, inputs, options)
    places = []  # parent, name in it, full name, Linear, the following member of a Sequential
    for path, parent in model.named_modules():
        children = list(parent._modules.items())
        for place, (name, child) in enumerate(children):
            if type(child) is torch.nn.Linear:
                behind = children[place + 1] if type(parent) is torch.nn.Sequential and place + 1 < len(children) else None
                places.append((parent, name, f"{path}.{name}".lstrip("."), child, behind))
    rows = []
    for parent, name, path, linear, behind in places:
        activation = _activation_of(behind[1]) if behind else None
        why, torch_us, ours_us, problem = why_not_shared(linear), 0.0, 0.0, ""
        tensor = found.get(linear)
        if tensor is None:
            why = why or "not called"
        elif tensor.dtype not in (torch.float16, torch.bfloat16) or linear.weight.dtype != tensor.dtype:
            why = why or f"{str(tensor.dtype)[6:]} input"
        else:
            sides = tensor.numel() // linear.in_features, linear.out_features, linear.in_features
            problem = "x".join(map(str, sides))
            plain = "bias_n" if linear.bias is not None else "none"
            fused = plain if activation is None else activation if plain == "none" else f"{plain}+{activation}"
            dtype = _recorded._GEMM_TYPES[tensor.dtype]
            library, ours = timer._compared([Gemm(*sides, dtype, "tn", plain), Gemm(*sides, dtype, "tn", fused)])
            if "time_us" not in library.get("cublaslt", {}) or "ours" not in ours:
                why = why or "no forecast"
            else:
                torch_us, ours_us = library["cublaslt"]["time_us"], ours["ours"]["time_us"]
                if activation is not None:
                    moved = 2 * tensor.element_size() * sides[0] * sides[1]
                    kernel = Kernel("activation", "pointwise", problem, moved, sides[0] * sides[1])
                    torch_us += timer.times([kernel])[kernel].us
                if torch_us < least * ours_us:
                    why = why or f"{torch_us / ours_us:.3f}x"
        rows.append(Replacement(path, problem, torch_us, ours_us, activation, why))
        if not why:
            parent._modules[name] = replaced(linear, activation)
            if activation is not None:
                parent._modules[behind[0]] = torch.nn.Identity()
    return Accelerated(rows)
