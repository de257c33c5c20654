"""tilecast.torch.accelerate: puts tilecast's Linear in where the forecast says that it gains."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Optional

import torch

from . import _recorded
from ._kernels import Kernel, Timer
from ._problem import ConfigError, Gemm, word_of


@dataclasses.dataclass(frozen=True)
class Replacement:
    """A Linear of the model. Times in microseconds, of one call."""

    name: str
    problem: str
    torch_us: float  # with the activation after it, if that is fused
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
            outcome = row.why_not or f"{row.torch_us / row.tilecast_us:.3f}x"
            if row.activation and not row.why_not:
                outcome += f", with {row.activation}"
            lines.append(f"  {row.name:<40} {row.problem:<20} {outcome}")
        return "\n".join(lines)

    __repr__ = __str__


def _activation_of(module: Optional[torch.nn.Module]) -> Optional[str]:
    if type(module) is torch.nn.GELU:
        return "gelu_tanh" if module.approximate == "tanh" else "gelu"
    return {torch.nn.ReLU: "relu", torch.nn.SiLU: "silu"}.get(type(module))


def hooks_of(module: torch.nn.Module) -> str:
    """Its first kind of hooks in words; empty if there are none."""
    kinds = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
    return next((kind.strip("_").replace("_", " ") for kind in kinds if getattr(module, kind)), "")


def _why_not_fused(activation: torch.nn.Module) -> str:
    if hooks_of(activation):
        return f"the activation after it has {hooks_of(activation)}"
    return "the activation after it has a forward of its own" if "forward" in vars(activation) else ""


def _inputs_of_linears(model: torch.nn.Module, inputs: tuple,
                       options: dict[str, Any]) -> dict[torch.nn.Module, torch.Tensor]:
    """The largest input of each Linear in one pass, with a shape alone."""
    found: dict[torch.nn.Module, torch.Tensor] = {}

    def see(module: torch.nn.Module, arguments: tuple, named: dict[str, Any]) -> None:
        tensor = arguments[0] if arguments else named.get("input")
        if tensor is not None and (module not in found or found[module].numel() < tensor.numel()):
            found[module] = tensor

    handles = [module.register_forward_pre_hook(see, with_kwargs=True) for module in model.modules()
               if type(module) is torch.nn.Linear]
    try:
        _recorded.record(model, inputs, options, repeated=False)
    finally:
        for handle in handles:
            handle.remove()
    return found


def accelerate(model: torch.nn.Module, inputs: tuple, options: dict[str, Any], *, timer: Timer, least: float,
               why_not_shared: Callable, replaced: Callable) -> Accelerated:
    """`replaced(linear, activation)` makes the Linear to put in; `why_not_shared(linear)` says why there is none."""
    if isinstance(model, torch.nn.Linear):
        raise ConfigError("model: expected a module that contains Linears, got a Linear itself, which "
                          "tilecast.torch.Linear.of replaces")
    found = _inputs_of_linears(model, inputs, options)
    places = []  # parent, name in it, full name, Linear, the following member of a Sequential
    for path, parent in model.named_modules():
        children = list(parent._modules.items())
        for place, (name, child) in enumerate(children):
            if type(child) is torch.nn.Linear:
                followed = type(parent) is torch.nn.Sequential and place + 1 < len(children)
                follower = children[place + 1] if followed else None
                places.append((parent, name, f"{path}.{name}".lstrip("."), child, follower))
    rows = []
    for parent, name, path, linear, follower in places:
        activation = _activation_of(follower[1]) if follower else None
        why, torch_us, ours_us, problem = why_not_shared(linear), 0.0, 0.0, ""
        if activation is not None:
            why = why or _why_not_fused(follower[1])
        tensor = found.get(linear)
        if tensor is None:
            why = why or "not called"
        elif linear.weight.dtype != tensor.dtype:
            why = why or f"{word_of(tensor.dtype)} input, {word_of(linear.weight.dtype)} weights"
        elif tensor.dtype not in (torch.float16, torch.bfloat16):
            why = why or f"{word_of(tensor.dtype)} input"
        else:
            sides = tensor.numel() // linear.in_features, linear.out_features, linear.in_features
            problem = "x".join(map(str, sides))
            plain = "bias_n" if linear.bias is not None else "none"
            fused = plain if activation is None else activation if plain == "none" else f"{plain}+{activation}"
            dtype = _recorded.GEMM_TYPES[tensor.dtype]
            library, ours = timer.compared([Gemm(*sides, dtype, "tn", plain), Gemm(*sides, dtype, "tn", fused)])
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
                parent._modules[follower[0]] = torch.nn.Identity()
    return Accelerated(rows)
