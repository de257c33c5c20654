"""tilecast for PyTorch: the operator `torch.ops.tilecast.matmul`, which torch.compile traces, and a
drop-in Linear. Imports torch, which the rest of the package does only where its caller has.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from ._matmul import _torch_matmul
from ._model import ConfigError

_operators = torch.library.Library("tilecast", "DEF")
_operators.define("matmul(Tensor a, Tensor b) -> Tensor")
_operators.impl("matmul", lambda a, b: _torch_matmul(torch, a, b, None, None), "CUDA")


@torch.library.register_fake("tilecast::matmul", lib=_operators)
def _shape_alone(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.new_empty((a.shape[0], b.shape[1]))


def _save(ctx, inputs, output) -> None:  # names that torch gives
    ctx.save_for_backward(*inputs)


def _gradients(ctx, of_output: torch.Tensor):
    a, b = ctx.saved_tensors
    return (of_output @ b.t() if ctx.needs_input_grad[0] else None,
            a.t() @ of_output if ctx.needs_input_grad[1] else None)


torch.library.register_autograd("tilecast::matmul", _gradients, setup_context=_save, lib=_operators)


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """C[m,n] = A[m,k] B[k,n] as `tilecast.matmul`, and differentiable: gradients are torch's own
    products."""
    return torch.ops.tilecast.matmul(a, b)


def _is_aligned(tensor: torch.Tensor) -> bool:
    """To 16 bytes. While torch.compile traces there is no address, and memory begins at more."""
    if torch.compiler.is_compiling():
        return tensor.storage_offset() % 8 == 0
    return tensor.data_ptr() % 16 == 0


def _has_kernel(input: torch.Tensor, weight: torch.Tensor) -> bool:
    # Rows of B, [out_features, in_features], at multiples of 16 bytes.
    if not (input.is_cuda and input.dtype in (torch.float16, torch.bfloat16) and
            input.dtype == weight.dtype and input.device == weight.device and
            input.shape[-1] == weight.shape[1] and input.shape[-1] % 8 == 0 and
            input.numel() > 0 and weight.numel() > 0 and weight.is_contiguous() and
            not torch.is_autocast_enabled(input.device.type)):
        return False
    gpu = torch.cuda.get_device_properties(input.device)
    return (gpu.major, gpu.minor) == (9, 0) and _is_aligned(input) and _is_aligned(weight)


class Linear(torch.nn.Linear):
    """torch.nn.Linear with tilecast's product where it has a kernel (fp16 and bf16 on a GPU of compute
    capability 9.0, in_features a multiple of 8, tensors aligned to 16 bytes, no autocast), and
    torch's own elsewhere. The bias is added afterwards, as the kernels take none."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not _has_kernel(input, self.weight):
            return functional.linear(input, self.weight, self.bias)
        rows = input.reshape(-1, self.in_features)
        product = matmul(rows.contiguous(), self.weight.t())
        product = product.view(*input.shape[:-1], self.out_features)
        return product if self.bias is None else product + self.bias

    @classmethod
    def of(cls, layer: torch.nn.Linear) -> Linear:
        """The same layer, sharing its parameters."""
        if not isinstance(layer, torch.nn.Linear):
            raise ConfigError(f"expected a torch.nn.Linear, got {type(layer).__name__}")
        made = cls.__new__(cls)
        torch.nn.Module.__init__(made)
        made.in_features, made.out_features = layer.in_features, layer.out_features
        made.weight, made.bias = layer.weight, layer.bias
        return made.train(layer.training)
