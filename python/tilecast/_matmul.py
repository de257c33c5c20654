"""Plans, caches and launches tilecast.matmul on torch and DLPack tensors."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, Optional

from . import _library, _native
from ._model import ConfigError

KEPT_PLANS = 1024  # plans kept, most recently used
_KEPT_WORKSPACES = 8  # workspaces per plan, one for each stream or graph
_captured: set[_library.AnyPlan] = set()  # plans in CUDA graphs, which may run their kernels for the
                                       # life of the process
_known: Optional[_native.KnownCalls] = None  # fast path for torch's tensors, created on first use
_refused: Any = None  # exchange API that KnownCalls rejected; not tried again


def matmul(a: Any, b: Any, out: Any = None, bias: Any = None, activation: Optional[str] = None, *,
           residual: Any = None, stream: Optional[int] = None) -> Any:
    """Computes C[m,n] = activation(A[m,k] B[k,n] + bias) + residual with the kernel that is
    predicted to be the fastest, in fp32 until C is rounded.

    a, b    CUDA matrices of one type, fp16 or bf16, on one device: torch tensors, or anything with
            `__dlpack__`. Rows or columns of each are contiguous (`b` may be a transposed [n,k], as
            in a linear layer, `a` a transposed [k,m], as in its weights' gradient), and both start
            on 16-byte boundaries. An operand whose rows in memory are not a multiple of 16 bytes apart
            (k of 4095) is copied into a workspace before each GEMM
    out     [m,n], contiguous, of the same type or fp32; needed for tensors that are not torch's
    bias    [n] or [1,n], added to each row, or [m,1], added to each column, as torch.addmm adds it;
            contiguous, of the same type
    activation  "relu", "gelu", "gelu_tanh" or "silu", off by at most 2^-12 |x| + 2^-15 before it is
            rounded; or a gate, "swiglu" or "geglu", for which `out` is [m,n/2]: its column j is silu or
            gelu of column 2j, times column 2j + 1
    residual  like `out`, and may be `out` itself: out += a b. Not supported with a gate
    stream  a cudaStream_t as a number, on the device of a and b; else torch's current stream, or the
            default stream

    Returns `out`, which is complete when the stream reaches that point. The first call for a problem
    predicts and compiles, which takes up to seconds; later calls do not. There are no gradients
    (tilecast.torch.matmul has them). For tensors that are not torch's their device must be current.

    Raises ConfigError if no kernel supports the GEMM, Error without a GPU or if the launch fails,
    FileError if libtilecast is not installed (docs/torch.md).
    """
    if _known is not None and stream is None and residual is None:
        result = _known.run(a, b, out, bias, activation)
        if result is not None:
            return result
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(a, torch.Tensor):
        if (torch.is_grad_enabled() and
                any(getattr(one, "requires_grad", False) for one in (a, b, out, bias, residual))):
            raise ConfigError("a, b, out, bias or residual requires grad, but tilecast.matmul has no backward pass: "
                              "use tilecast.torch.matmul, or call it under torch.no_grad()")
        return _torch_matmul(torch, a, b, out, stream, bias, activation, residual=residual)
    stream = stream or 0
    left, right = _library.matrix("a", a, stream), _library.matrix("b", b, stream)
    if out is None:
        raise ConfigError("out: must be given if a and b are not torch tensors")
    into = _library.matrix("out", out, stream, of_c=True)
    _agree(left, right)
    if ((into.rows, into.columns, into.device) !=
            (left.rows, _library.columns_of_c(right.columns, activation), left.device) or
            into.type not in (left.type, _library.FP32)):
        raise ConfigError("out: expected shape [m,n], the device of a and b, and their dtype or fp32")
    if into.column_stride != 1 or into.row_stride != into.columns:
        raise ConfigError("out: must be contiguous")
    onto = None if residual is None else _library.matrix("residual", residual, stream, of_c=True)
    if onto is not None and onto._replace(data=0, owner=None) != into._replace(data=0, owner=None):
        raise ConfigError("residual: expected the shape, strides, dtype and device of out")
    added = None if bias is None else _library.matrix("bias", bias, stream, vector=True)
    if added is not None and (added.type, added.device) != (left.type, left.device):
        raise ConfigError("bias: expected the dtype and the device of a and b")
    kind = _library.NO_BIAS if added is None else _library.bias_kind(
        left.rows, right.columns, (added.rows, added.columns), (added.row_stride, added.column_stride))
    shape = _library.shape_of(left.rows, right.columns, left.columns, left.type,
                              (left.row_stride, left.column_stride),
                              (right.row_stride, right.column_stride), kind,
                              _library.activation_of(activation), into.type, int(onto is not None))
    current = _library.current_device()
    if left.device != current:
        raise ConfigError(f"a, b and out are on device {left.device}, but device {current} is current")
    plan = kept_plan(shape, left.device, stream)
    if plan.workspace_bytes:
        raise ConfigError("a, b and out: expected torch tensors, since the kernel for this shape needs a workspace")
    plan.run(left.data, right.data, into.data, stream, 0, None if added is None else added.data,
             residual=None if onto is None else onto.data)
    return out


def known_product(a: Any, b: Any, bias: Any, activation: Optional[str]) -> Any:
    """Runs a matmul of torch's tensors on the current stream through the fast path; returns None if
    no earlier call is like it."""
    return None if _known is None else _known.run(a, b, None, bias, activation)


def _agree(left: _library.Matrix, right: _library.Matrix) -> None:
    if left.columns != right.rows:
        raise ConfigError(f"a has {left.columns} columns, but b has {right.rows} rows")
    if left.type != right.type:
        raise ConfigError("a and b: expected the same dtype")
    if left.device != right.device:
        raise ConfigError("a and b: expected the same device")


# If two threads make a plan at the same time, either is kept; both are valid.
@functools.lru_cache(maxsize=KEPT_PLANS)
def _plan(shape: _library.AnyShape, device: int, keeps_memory: bool = True) -> _library.AnyPlan:
    """Makes a plan on the current device, which is `device`."""
    return _library.plan_of(shape, keeps_memory)


def kept_plan(shape: _library.AnyShape, device: int, stream: int) -> Any:
    """Returns a plan for a run on the current device, which is `device`, and its `stream`."""
    plan = _plan(shape, device, True)
    if _library.capture_of(stream) is not None:
        _captured.add(plan)
    return plan


def on_stream(torch: Any, device: int, stream: Optional[int], run: Callable[[int], Any]) -> Any:
    """Calls `run` with the device current and with a stream of it: `stream` if given."""
    current = torch._C._cuda_getCurrentRawStream(device)
    if stream is not None and stream != current:
        # Memory is allocated on the current stream, so the other stream becomes current; 0 and 1
        # are the default stream.
        other = (torch.cuda.default_stream(device) if stream in (0, 1)
                 else torch.cuda.ExternalStream(stream, device=device))
        with torch.cuda.stream(other):
            return run(stream)
    if device == torch._C._cuda_getDevice():
        return run(current)
    with torch.cuda.device(device):
        return run(current)


def checked(torch: Any, sides: tuple, strides: tuple, types: tuple, devices: tuple,
            bias: Optional[tuple] = None) -> tuple[_library.Matrix, _library.Matrix, int]:
    """Returns A and B without addresses, and the kind of bias, for torch's tensors; raises
    ConfigError for invalid combinations. `bias`: its sizes, strides, type and device."""
    kinds = {torch.float16: _library.FP16, torch.bfloat16: _library.BF16}
    for name, side, dtype in zip("ab", sides, types):
        if dtype not in kinds:
            raise ConfigError(f"{name}: expected fp16 or bf16, got {dtype}")
        if len(side) != 2:
            raise ConfigError(f"{name}: expected a matrix, got {len(side)} dimensions")
    left, right = (_library.Matrix(0, *side, *stride, kinds[dtype], device.index, None)
                   for side, stride, dtype, device in zip(sides, strides, types, devices))
    _agree(left, right)
    if bias is None:
        return left, right, _library.NO_BIAS
    if bias[2:] != (types[0], devices[0]):
        raise ConfigError("bias: expected the dtype and the device of a and b")
    return left, right, _library.bias_kind(left.rows, right.columns, tuple(bias[0]), tuple(bias[1]))


# Its arguments are everything that a plan depends on: after a cache hit only `out` needs checks.
@functools.lru_cache(maxsize=KEPT_PLANS)
def _torch_plan(torch: Any, sides: tuple, strides: tuple, types: tuple, devices: tuple,
                bias: Optional[tuple] = None, activation: Optional[str] = None,
                type_c: int = 0, residual: int = 0, keeps_memory: bool = True) -> _library.Plan:
    for name, device in zip("ab", devices):
        if device.type != "cuda":
            raise ConfigError(f"{name}: expected a CUDA tensor")
    left, right, kind = checked(torch, sides, strides, types, devices, bias)
    shape = _library.shape_of(left.rows, right.columns, left.columns, left.type, *strides, kind,
                              _library.activation_of(activation), type_c, residual)
    with torch.cuda.device(left.device):
        return _plan(shape, left.device, keeps_memory)


def make_plan(device: Any, dtype: Any, sizes: Sequence[tuple], strides: Sequence[tuple], bias: bool) -> None:
    """Makes the plan of a later `matmul` of torch's tensors A and B on a device, with a bias added to each row or
    without one. May be called from any thread."""
    torch = sys.modules["torch"]
    n = sizes[1][1]
    _torch_plan(torch, tuple(map(torch.Size, sizes)), tuple(strides), (dtype, dtype), (device, device),
                (torch.Size([n]), (1,), dtype, device) if bias else None, None, 0, 0, True)


def described(a: Any, b: Any, bias: Any) -> tuple:
    """Returns the arguments of `checked` for torch's tensors."""
    return ((a.shape, b.shape), (a.stride(), b.stride()), (a.dtype, b.dtype), (a.device, b.device),
            None if bias is None else (bias.shape, bias.stride(), bias.dtype, bias.device))


def _torch_matmul(torch: Any, a: Any, b: Any, out: Any, stream: Optional[int], bias: Any = None,
                  activation: Optional[str] = None, keeps_memory: bool = True,
                  residual: Any = None) -> Any:
    """Runs a matmul. `keeps_memory`: a workspace and an entry of the fast path may outlive the
    call."""
    if not isinstance(b, torch.Tensor) or not (bias is None or isinstance(bias, torch.Tensor)):
        raise ConfigError(f"{'bias' if isinstance(b, torch.Tensor) else 'b'}: expected a torch tensor, "
                          "since a is one")
    if residual is not None and not isinstance(residual, torch.Tensor):
        raise ConfigError("residual: expected a torch tensor, since a is one")
    wide = isinstance(out, torch.Tensor) and out.dtype == torch.float32
    plan = _torch_plan(torch, *described(a, b, bias), activation, _library.FP32 if wide else 0,
                       int(residual is not None), keeps_memory)
    index = a.device.index
    result = on_stream(torch, index, stream, lambda on: _on_current_stream(
        torch, plan, a, b, out, bias, on, keeps_memory, activation, residual))
    if (keeps_memory and stream is None and residual is None and not wide and
            index == torch._C._cuda_getDevice() and
            _library.activation_of(activation) not in _library.GATES):
        _remember(torch, plan, torch._C._cuda_getCurrentRawStream(index), a, b, out, bias, activation)
    return result


def _on_current_stream(torch: Any, plan: _library.Plan, a: Any, b: Any, out: Any, bias: Any,
                       stream: int, keeps_memory: bool, activation: Optional[str],
                       residual: Any) -> Any:
    sides = (a.shape[0], _library.columns_of_c(b.shape[1], activation))
    if out is None:
        out = a.new_empty(sides)
    elif (not isinstance(out, torch.Tensor) or out.shape != sides
          or out.dtype not in (a.dtype, torch.float32) or out.device != a.device
          or not out.is_contiguous()):
        raise ConfigError("out: expected a contiguous tensor of shape [m,n], the device of a and b, and their dtype "
                          "or fp32")
    if residual is not None and (residual.shape != sides or residual.dtype != out.dtype or
                                 residual.device != out.device or not residual.is_contiguous()):
        raise ConfigError("residual: expected a contiguous tensor with the shape, dtype and device of out")
    workspace = workspace_of(torch, plan, a.device, stream, keeps_memory)
    plan.run(a.data_ptr(), b.data_ptr(), out.data_ptr(), stream,
             0 if workspace is None else workspace.data_ptr(),
             None if bias is None else bias.data_ptr(),
             residual=None if residual is None else residual.data_ptr())
    return out


def workspace_of(torch: Any, plan: _library.Plan, device: Any, stream: int,
                 keeps_memory: bool = True) -> Any:
    """Returns the workspace of a run on the current stream, which may be capturing; None if the
    plan needs none."""
    capture = _library.capture_of(stream)
    if capture is not None:
        _captured.add(plan)
    if not plan.workspace_bytes:
        return None
    return (_kept_workspace(torch, plan, device, stream, capture) if keeps_memory
            else _new_workspace(torch, plan, device, stream))


def _new_workspace(torch: Any, plan: _library.Plan, device: Any, stream: int) -> Any:
    made = torch.empty(plan.workspace_bytes, dtype=torch.uint8, device=device)
    plan.clear(made.data_ptr(), stream)
    return made


def _kept_workspace(torch: Any, plan: _library.Plan, device: Any, stream: int,
                    capture: Optional[int]) -> Any:
    # Runs of one plan on one stream are ordered, so they share a workspace. A graph may run
    # concurrently with the stream on which it was captured, so it has a separate workspace, which
    # it clears once per replay.
    held = plan.workspaces.get((stream, capture))
    if held is None:
        held = _new_workspace(torch, plan, device, stream)
        while len(plan.workspaces) >= _KEPT_WORKSPACES:
            plan.workspaces.pop(next(iter(plan.workspaces)), None)
        plan.workspaces[stream, capture] = held
    return held


def _remember(torch: Any, plan: _library.Plan, stream: int, a: Any, b: Any, out: Any, bias: Any,
              activation: Optional[str]) -> None:
    """Remembers a successful call, ignoring all failures, so that later calls like it on `stream`,
    the current one, take the fast path."""
    global _known, _refused
    api = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if api is None or api is _refused:
        return
    if _known is None:
        try:
            _known = _native.KnownCalls(api, torch.Tensor, torch.nn.Parameter, torch.is_grad_enabled,
                                        torch.empty_like, *_library.addresses())
        except Exception:  # such as another version
            _refused = api
            return
    try:
        workspace = plan.workspaces.get((stream, None))
        if workspace is not None or not plan.workspace_bytes:
            _known.remember(a, b, out, bias, activation, plan.handle,
                            0 if workspace is None else workspace.data_ptr(), plan.workspace_bytes,
                            (plan, workspace))
    except Exception:  # such as out of memory: a later call may be remembered
        pass
