"""A Linear of gate and up columns whose weight holds a row of the gate and one of up in turn, as our kernels with a gated
activation take them, and the operator that torch.compile's pass (_fusion.py) recognizes. Rows are moved in place:
a second copy of the largest weight of a layer would not fit where the model barely does.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.nn import functional

from .torch import Linear, _has_kernel, _operators, _product


def interleaved(rows: torch.Tensor, gate_first: bool) -> torch.Tensor:
    """Rows of the gate and of up in turn, from two halves of them."""
    halves = rows.unflatten(0, (2, -1))
    return (halves if gate_first else halves.flip(0)).transpose(0, 1).flatten(0, 1)


def halved(rows: torch.Tensor, gate_first: bool) -> torch.Tensor:
    """The reverse."""
    halves = rows.unflatten(0, (-1, 2)).transpose(0, 1)
    return (halves if gate_first else halves.flip(0)).flatten(0, 1)


_operators.define("gate_up(Tensor a, Tensor weight, Tensor? bias=None, bool gate_first=True) -> Tensor")


def _gate_up(a: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor] = None,
             gate_first: bool = True) -> torch.Tensor:
    """a weight^T + bias with the columns of the gate and of up in two halves: torch's products, outside of
    torch.compile."""
    out = a.new_empty(a.shape[0], weight.shape[0])
    for half, first in zip(out.chunk(2, -1), (0, 1) if gate_first else (1, 0)):
        torch.mm(a, weight[first::2].t(), out=half)
        if bias is not None:
            half += bias[first::2]
    return out


_operators.impl("gate_up", _gate_up, "CompositeExplicitAutograd")


@torch.library.register_fake("tilecast::gate_up", lib=_operators)
def _shape_alone(a: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor] = None,
                 gate_first: bool = True) -> torch.Tensor:
    return a.new_empty(a.shape[0], weight.shape[0])


def _save(ctx, inputs, output) -> None:  # names required by torch
    a, weight, ctx.bias, ctx.gate_first = inputs
    ctx.save_for_backward(a, weight)


def _gradients(ctx, of_output: torch.Tensor):
    a, weight = ctx.saved_tensors
    of_output, wanted = interleaved(of_output.t(), ctx.gate_first).t().contiguous(), ctx.needs_input_grad
    return (_product(of_output, weight) if wanted[0] else None, _product(of_output.t(), a) if wanted[1] else None,
            of_output.sum(0) if any(wanted[2:3]) else None, None)


torch.library.register_autograd("tilecast::gate_up", _gradients, setup_context=_save, lib=_operators)


class GateUp(Linear):
    """A Linear whose output is the gate and up, or up and the gate. Its state_dict is that of an nn.Linear."""

    gate_first: bool

    @classmethod
    def of(cls, layer: torch.nn.Linear, gate_first: bool = True) -> GateUp:
        """The same layer with its parameters, which are laid out anew."""
        made = super().of(layer)
        made.gate_first = gate_first
        with torch.no_grad():
            for columns in made.weight.split(max(1, made.in_features // 128), -1):
                columns.copy_(interleaved(columns, gate_first))
            if made.bias is not None:
                made.bias.copy_(interleaved(made.bias, gate_first))
        return made

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not _has_kernel(input, self.weight, self.bias):
            return functional.linear(input, *(None if one is None else halved(one, self.gate_first)
                                              for one in (self.weight, self.bias)))
        rows = input.reshape(-1, self.in_features).contiguous()
        out = torch.ops.tilecast.gate_up(rows, self.weight, self.bias, self.gate_first)
        return out.view(*input.shape[:-1], self.out_features)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name in self._parameters:
            if prefix + name in destination:
                destination[prefix + name] = halved(destination[prefix + name], self.gate_first)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *more: Any) -> None:
        given = {prefix + name: interleaved(state_dict[prefix + name], self.gate_first) for name in self._parameters
                 if prefix + name in state_dict}
        super()._load_from_state_dict({**state_dict, **given}, prefix, *more)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, gate and up in turn"
