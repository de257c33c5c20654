"""tilecast.matmul."""

from __future__ import annotations

import sys
from typing import Any, Optional

from . import _library
from ._model import ConfigError

_plans: dict[Any, _library.Plan] = {}
_workspaces: dict[tuple[int, int], Any] = {}


def matmul(a: Any, b: Any, out: Any = None, *, stream: Optional[int] = None) -> Any:
    """C[m,n] = A[m,k] B[k,n] by the kernel that the model expects to be the fastest; sums in fp32.

    a, b    CUDA matrices of one type, fp16 or bf16, on one device: torch tensors, or anything with
            `__dlpack__`. Rows of `a` are contiguous, and rows or columns of `b` (a transposed [n,k],
            as of a linear layer); both begin, and go on from row to row, at multiples of 16 bytes,
            so k is a multiple of 8
    out     [m,n], contiguous, of the same type; needed for tensors that are not torch's
    stream  a cudaStream_t as a number; else torch's current stream, or the default stream

    Returns `out`, which is complete when the stream has come that far. The first call for a problem
    forecasts and compiles, which takes up to seconds; no later one does. There is no bias and no
    activation: the kernels have none, and adding them afterwards is the caller's.

    Raises ConfigError for what no kernel does, Error where there is no GPU or the launch fails,
    FileError where libtilecast is not installed (docs/python.md).
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(a, torch.Tensor):
        return _torch_matmul(torch, a, b, out, stream)
    stream = stream or 0
    left, right = _library.matrix("a", a, stream), _library.matrix("b", b, stream)
    if out is None:
        raise ConfigError("out: needed for tensors that are not torch's")
    into = _library.matrix("out", out, stream)
    _agree(left, right)
    if (into.rows, into.columns, into.type, into.device) != (left.rows, right.columns, left.type, left.device):
        raise ConfigError("out: expected [m,n] of the type and on the device of a and b")
    if into.column_stride != 1 or into.row_stride != into.columns:
        raise ConfigError("out: expected it to be contiguous")
    shape = _library.shape_of(left.rows, right.columns, left.columns, left.type,
                              (left.row_stride, left.column_stride),
                              (right.row_stride, right.column_stride))
    plan = _plan((shape, left.device), shape)
    if plan.workspace_bytes:
        raise ConfigError("this kernel splits K and needs a workspace, which comes from torch: import it")
    plan.run(left.data, right.data, into.data, stream)
    return out


def _agree(left: _library.Matrix, right: _library.Matrix) -> None:
    if left.columns != right.rows:
        raise ConfigError(f"a has {left.columns} columns, b {right.rows} rows")
    if left.type != right.type:
        raise ConfigError("a and b: expected one type")
    if left.device != right.device:
        raise ConfigError("a and b: expected one device")


def _plan(key: Any, shape: _library.Shape) -> _library.Plan:
    plan = _plans.get(key)
    if plan is None:
        # Of two threads that come at the same time one's plan stays; both are good.
        plan = _plans.setdefault(key, _library.Plan(shape))
    return plan


def _torch_plan(torch: Any, a: Any, b: Any) -> _library.Plan:
    kinds = {torch.float16: _library.FP16, torch.bfloat16: _library.BF16}
    for name, tensor in (("a", a), ("b", b)):
        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cuda":
            raise ConfigError(f"{name}: expected a CUDA tensor")
        if tensor.dtype not in kinds:
            raise ConfigError(f"{name}: expected fp16 or bf16, got {tensor.dtype}")
        if tensor.dim() != 2:
            raise ConfigError(f"{name}: expected a matrix, got {tensor.dim()} dimensions")
    left, right = (_library.Matrix(0, one.shape[0], one.shape[1], one.stride(0), one.stride(1),
                                   kinds[one.dtype], one.device.index, one) for one in (a, b))
    _agree(left, right)
    shape = _library.shape_of(left.rows, right.columns, left.columns, left.type, a.stride(), b.stride())
    with torch.cuda.device(a.device):
        return _plan((shape, left.device), shape)


def _torch_matmul(torch: Any, a: Any, b: Any, out: Any, stream: Optional[int]) -> Any:
    # Everything that a plan depends on: a call that finds one has nothing left to check but `out`.
    key = (a.shape, b.shape, a.stride(), b.stride(), a.dtype, b.dtype, a.device, b.device)
    plan = _plans.get(key)
    if plan is None:
        plan = _plans.setdefault(key, _torch_plan(torch, a, b))
    index = a.device.index
    if out is None:
        out = a.new_empty((a.shape[0], b.shape[1]))
    elif (out.shape != (a.shape[0], b.shape[1]) or out.dtype != a.dtype or out.device != a.device
          or not out.is_contiguous()):
        raise ConfigError("out: expected [m,n], contiguous, of the type and on the device of a and b")
    if stream is None:
        stream = torch._C._cuda_getCurrentRawStream(index)
    if index == torch._C._cuda_getDevice():
        _run(torch, plan, a, b, out, stream)
    else:
        with torch.cuda.device(index):
            _run(torch, plan, a, b, out, stream)
    return out


def _run(torch: Any, plan: _library.Plan, a: Any, b: Any, out: Any, stream: int) -> None:
    if not plan.workspace_bytes:
        plan.run(a.data_ptr(), b.data_ptr(), out.data_ptr(), stream)
        return
    # Runs of one plan on one stream follow each other, so they share a workspace; but one that a graph
    # clears is clear only once that graph has run, so each captured call has its own.
    place = (id(plan), stream)
    capturing = torch.cuda.is_current_stream_capturing()
    held = None if capturing else _workspaces.get(place)
    if held is None:
        held = torch.empty(plan.workspace_bytes, dtype=torch.uint8, device=a.device)
        plan.clear(held.data_ptr(), stream)
        if not capturing:
            _workspaces[place] = held
    plan.run(a.data_ptr(), b.data_ptr(), out.data_ptr(), stream, held.data_ptr())
