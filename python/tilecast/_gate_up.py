"""A Linear of gate and up columns whose weight interleaves rows of gate and up, as our kernels with
a gated activation expect, and the operator that torch.compile's pass (_fusion.py) recognizes. Rows
are permuted in place: a second copy of a layer's largest weight might not fit in memory. If gate
and up are two Linears, both get views of one such weight.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional

from .torch import Linear, _has_kernel, _operators, matmul


def interleaved(rows: torch.Tensor, gate_first: bool) -> torch.Tensor:
    """Interleaves the rows of gate and up from their two halves."""
    halves = rows.unflatten(0, (2, -1))
    return (halves if gate_first else halves.flip(0)).transpose(0, 1).flatten(0, 1)


def halved(rows: torch.Tensor, gate_first: bool) -> torch.Tensor:
    """Returns interleaved rows to two halves."""
    halves = rows.unflatten(0, (-1, 2)).transpose(0, 1)
    return (halves if gate_first else halves.flip(0)).flatten(0, 1)


def joint(weight: torch.Tensor) -> torch.Tensor:
    """Returns the interleaved rows of gate and up, also from a view of the gate's rows only."""
    rows, columns = weight.shape
    return weight if weight.stride(0) == columns else weight.as_strided((2 * rows, columns), (columns, 1))


_operators.define("gate_up(Tensor a, Tensor weight, Tensor? bias=None, bool gate_first=True) -> Tensor")


def _gate_up(a: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor] = None,
             gate_first: bool = True) -> torch.Tensor:
    """Returns a weight^T + bias with the columns of gate and up in two halves; torch's GEMMs,
    without torch.compile."""
    out, weight = _shape_alone(a, weight), joint(weight)
    for half, first in zip(out.chunk(2, -1), (0, 1) if gate_first else (1, 0)):
        torch.mm(a, weight[first::2].t(), out=half)
        if bias is not None:
            half += bias[first::2]
    return out


_operators.impl("gate_up", _gate_up, "CompositeExplicitAutograd")


@torch.library.register_fake("tilecast::gate_up", lib=_operators)
def _shape_alone(a: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor] = None,
                 gate_first: bool = True) -> torch.Tensor:
    return a.new_empty(a.shape[0], weight.shape[0] * (weight.stride(0) // weight.shape[1]))


# Splits interleaved columns of gate and up into two tensors of these dimensions, and back; each is
# the other's gradient. _fusion.py makes both part of the kernels around them.
_operators.define("halves(Tensor interleaved, SymInt[] dims, bool gate_first) -> Tensor")
_operators.define("interleave(Tensor halves, bool gate_first) -> Tensor")


def _halves(interleaved: torch.Tensor, dims: Sequence[int], gate_first: bool) -> torch.Tensor:
    columns = interleaved.unflatten(1, (-1, 2)).transpose(1, 2)
    return (columns if gate_first else columns.flip(1)).reshape(dims)


def _interleave(halves: torch.Tensor, gate_first: bool) -> torch.Tensor:
    columns = halves.flatten(0, -2).chunk(2, 1)
    return torch.stack(columns if gate_first else columns[::-1], 2).flatten(1)


def _save_order(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
    ctx.dims, ctx.gate_first = inputs[0].shape, inputs[-1]


_operators.impl("halves", _halves, "CompositeExplicitAutograd")
_operators.impl("interleave", _interleave, "CompositeExplicitAutograd")
torch.library.register_fake("tilecast::halves", lambda interleaved, dims, gate_first: interleaved.new_empty(dims),
                            lib=_operators)
torch.library.register_fake("tilecast::interleave", lambda halves, gate_first: halves.new_empty(
    halves.numel() // halves.shape[-1], halves.shape[-1]), lib=_operators)
torch.library.register_autograd(
    "tilecast::halves", lambda ctx, gradient: (torch.ops.tilecast.interleave(gradient, ctx.gate_first), None, None),
    setup_context=_save_order, lib=_operators)
torch.library.register_autograd(
    "tilecast::interleave", lambda ctx, gradient: (torch.ops.tilecast.halves(gradient, ctx.dims, ctx.gate_first), None),
    setup_context=_save_order, lib=_operators)


def _saves(*tensors: Optional[torch.Tensor]) -> bool:
    """Whether a backward pass needs the sums, so that no gate can be fused."""
    return torch.is_grad_enabled() and any(one is not None and one.requires_grad for one in tensors)


@contextlib.contextmanager
def _writing(weight: torch.Tensor):
    """Allows writing to the weight, also to one that was made in inference mode."""
    with torch.inference_mode(weight.is_inference()), torch.no_grad():
        yield


class GateUp(Linear):
    """A Linear whose output is gate and up, or up and gate. Its state_dict is that of an
    nn.Linear."""

    gate_first: bool

    @classmethod
    def of(cls, layer: torch.nn.Linear, gate_first: bool = True) -> GateUp:
        """Returns an equal layer that takes over the parameters and permutes their rows."""
        made = super().of(layer)
        made.gate_first = gate_first
        with _writing(made.weight):
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
        if _saves(input, self.weight, self.bias):  # the sums are saved interleaved
            return torch.ops.tilecast.halves(matmul(rows, self.weight.t(), self.bias),
                                             (*input.shape[:-1], self.out_features), self.gate_first)
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


class Half(Linear):
    """The Linear of a gate, or of up, on one input. Both weights are views of a single weight,
    which torch.compile multiplies once; with gradients, or if a module was moved since, each Linear
    is a separate GEMM."""

    gate: tuple[Half]  # a tuple, so that torch does not register it as a submodule

    @classmethod
    def pair(cls, gate: torch.nn.Linear, up: torch.nn.Linear) -> tuple[Half, Half]:
        made = cls.of(gate), cls.of(up)
        with _writing(gate.weight):
            both = torch.stack([gate.weight, up.weight], 1)
            for place, one in enumerate(made):
                one.weight.data = both[:, place]
                one.gate = made[:1]
        return made

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if not keep_vars:  # safetensors rejects tensors that share memory
            destination[prefix + "weight"] = destination[prefix + "weight"].contiguous()

    def _is_joint(self, input: torch.Tensor) -> bool:
        weights = self.gate[0].weight, self.weight
        return ((torch.compiler.is_compiling() or isinstance(input, FakeTensor)) and
                all(one.stride() == (2 * self.in_features, 1) for one in weights) and
                not _saves(input, *weights) and
                _has_kernel(input, self.weight, None))

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not self._is_joint(input):
            return super().forward(input)
        rows = input.reshape(-1, self.in_features).contiguous()
        both = torch.ops.tilecast.gate_up(rows, self.gate[0].weight).view(*input.shape[:-1], 2 * self.out_features)
        gate, up = both.chunk(2, -1)
        return gate if self is self.gate[0] else up
