"""tilecast for PyTorch: the operators `torch.ops.tilecast.matmul` and `attention`, which
torch.compile traces, and a drop-in Linear and scaled_dot_product_attention. Imports torch; the rest
of the package imports it only if its caller has.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Optional

try:
    import torch
except ImportError:
    raise ImportError("tilecast.torch needs torch, with or without CUDA: pip install torch") from None
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional
from torch.nn.utils import parametrize

from . import _attention, _library, _matmul, _recorded
from ._forecast import Forecast
from ._kernels import Timer
from ._library import columns_of_c
from ._model import ConfigError, gpu_of
from ._problem import Gemm

if TYPE_CHECKING:
    from ._accelerate import Accelerated


DEFAULT_GPU = "h200_sxm"
LEAST_GAIN = 1.01  # predicted time of torch's GEMM over that of tilecast's, from which tilecast's replaces it


def _aligned(tensor: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
    """Returns the tensor, or a 16-byte aligned copy of it."""
    return tensor if tensor is None or tensor.data_ptr() % 16 == 0 else tensor.clone()


_operators = torch.library.Library("tilecast", "DEF")
_operators.define("matmul(Tensor a, Tensor b, Tensor? bias=None, str? activation=None, Tensor? residual=None) "
                  "-> Tensor")
# torch.compile's graphs own all memory allocated while they are recorded, so no workspace is kept.
_operators.impl("matmul", lambda a, b, bias=None, activation=None, residual=None: _matmul._torch_matmul(
    torch, _aligned(a), _aligned(b), None, None, _aligned(bias), activation, keeps_memory=False,
    residual=None if residual is None else _aligned(residual.contiguous())), "CUDA")

_ACTIVATED = {None: lambda x: x, "relu": functional.relu, "gelu": functional.gelu,
              "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"), "silu": functional.silu,
              "swiglu": lambda x: functional.silu(x[..., ::2]) * x[..., 1::2],
              "geglu": lambda x: functional.gelu(x[..., ::2]) * x[..., 1::2]}


@torch.library.register_fake("tilecast::matmul", lib=_operators)
def _shape_alone(a: torch.Tensor, b: torch.Tensor, bias: Optional[torch.Tensor] = None,
                 activation: Optional[str] = None, residual: Optional[torch.Tensor] = None) -> torch.Tensor:
    left, right, _ = _matmul.checked(torch, *_matmul.described(a, b, bias))
    _library.shape_of(left.rows, right.columns, left.columns, left.type, a.stride(), b.stride())
    sides = (a.shape[0], columns_of_c(b.shape[1], activation))
    if residual is not None and _library.activation_of(activation) in _library.GATES:
        raise ConfigError("residual: cannot be combined with a gated activation")
    if residual is not None and (residual.shape != sides or residual.dtype != a.dtype):
        raise ConfigError("residual: expected the shape and dtype of the result")
    return a.new_empty(sides)


@functools.lru_cache(maxsize=_matmul.KEPT_PLANS)
def _gains(gemm: Gemm, gpu: str, sustained: bool) -> bool:
    """Whether tilecast's kernel is predicted to take at most 1 / 1.01 of cuBLASLt's time."""
    answer, = Timer(gpu, "sustained" if sustained else "burst").compared([gemm])
    return "cublaslt" in answer and answer["cublaslt"]["time_us"] >= LEAST_GAIN * answer["ours"]["time_us"]


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Computes a b with tilecast's kernel if it copies neither operand and is predicted to be
    faster, else with torch."""
    if (a.is_cuda and a.dtype in _GROUPED_TYPES and b.dtype == a.dtype and a.numel() > 0 and b.numel() > 0 and
            all(1 in one.stride() and 0 not in one.stride() for one in (a, b)) and
            all(isinstance(side, int) and side % 8 == 0 for side in (*a.shape, *b.shape)) and _is_hopper(a) and
            _gains(_recorded.gemm_of("mm", (a, b)), _gpu_of(a), _library.sustained)):
        return torch.ops.tilecast.matmul(a, b)
    return a @ b


def _save(ctx, inputs, output) -> None:  # names required by torch
    a, b, bias, ctx.activation, _ = inputs
    ctx.save_for_backward(a, b, bias)


def _gradients(ctx, of_output: torch.Tensor):
    a, b, bias = ctx.saved_tensors
    wanted, of_residual = ctx.needs_input_grad, of_output
    if ctx.activation is not None:  # its input is not saved, so the product is recomputed
        with torch.enable_grad():
            sums = _product(a, b).detach()
            sums = (sums if bias is None else sums + bias).requires_grad_()
            of_output, = torch.autograd.grad(_ACTIVATED[ctx.activation](sums), sums, of_output)
    of_output = of_output.contiguous()
    of_b = None
    if wanted[1]:  # strided in memory like b
        of_b = _product(of_output.t(), a).t() if b.stride(0) == 1 else _product(a.t(), of_output)
    return (_product(of_output, b.t()) if wanted[0] else None, of_b,
            of_output.sum_to_size(bias.shape) if bias is not None and wanted[2] else None, None,
            of_residual if any(wanted[4:]) else None)


torch.library.register_autograd("tilecast::matmul", _gradients, setup_context=_save, lib=_operators)

def _is_eager(*tensors: Optional[torch.Tensor]) -> bool:
    """Whether torch has nothing to do for a GEMM of these tensors: no graph to trace, no gradient to record,
    no active mode or transform. Dispatching an operator through torch takes longer than most GEMMs."""
    return (not torch.compiler.is_compiling() and torch._C._len_torch_dispatch_stack() == 0 and
            torch._C._functorch.peek_interpreter_stack() is None and
            all(one is None or type(one) in (torch.Tensor, torch.nn.Parameter) and one.is_cuda
                for one in tensors) and
            not (torch.is_grad_enabled() and
                 any(one is not None and one.requires_grad for one in tensors)))


def matmul(a: torch.Tensor, b: torch.Tensor, bias: Optional[torch.Tensor] = None, activation: Optional[str] = None,
           residual: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Computes activation(A[m,k] B[k,n] + bias) + residual like `tilecast.matmul`, and is
    differentiable: its gradients are also tilecast's GEMMs where these are forecast to gain, and
    with an activation they recompute the GEMM."""
    if residual is None and _is_eager(a, b, bias):
        return _matmul.matmul(_aligned(a), _aligned(b), None, _aligned(bias), activation)
    return torch.ops.tilecast.matmul(a, b, bias, activation, residual)


_operators.define("attention(Tensor q, Tensor k, Tensor v, bool causal=False, float? scale=None, "
                  "bool return_lse=False) -> (Tensor, Tensor)")


def _attention_on_cuda(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False,
                       scale: Optional[float] = None, return_lse: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    found = _attention.torch_attention(torch, _aligned(q), _aligned(k), _aligned(v), causal, scale, None, return_lse,
                                       None, keeps_memory=False)
    return found if return_lse else (found, q.new_empty(0, dtype=torch.float32))


_operators.impl("attention", _attention_on_cuda, "CUDA")


@torch.library.register_fake("tilecast::attention", lib=_operators)
def _attention_shapes(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False,
                      scale: Optional[float] = None,
                      return_lse: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    _attention.torch_shape(torch, *_attention.described(q, k, v), causal, return_lse)
    return torch.empty_like(q), q.new_empty(q.shape[:3] if return_lse else 0, dtype=torch.float32)


def _attention_without_gradients(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False,
                                 scale: Optional[float] = None,
                                 return_lse: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    if torch.is_grad_enabled() and any(one.requires_grad for one in (q, k, v)):
        raise ConfigError("q, k or v requires grad, but attention has no backward pass: call it under torch.no_grad()")
    with torch._C._AutoDispatchBelowAutograd():
        return torch.ops.tilecast.attention(q, k, v, causal, scale, return_lse)


_operators.impl("attention", _attention_without_gradients, "Autograd")


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool = False,
              scale: Optional[float] = None, return_lse: bool = False) -> Any:
    """`tilecast.attention` as an operator that torch.compile traces. The result has q's strides."""
    if _is_eager(q, k, v):
        return _attention.attention(_aligned(q), _aligned(k), _aligned(v), causal=causal, scale=scale,
                                    return_lse=return_lse)
    found = torch.ops.tilecast.attention(q, k, v, causal, scale, return_lse)
    return found if return_lse else found[0]


_torchs_attention = functional.scaled_dot_product_attention  # torch's function, even after it was replaced


def _has_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, enable_gqa: bool) -> bool:
    tensors = (query, key, value)
    if not all(one.is_cuda and one.dim() == 4 and one.dtype == query.dtype and one.device == query.device and
               one.numel() > 0 and one.stride(-1) == 1 and _is_aligned(one) and
               all(length == 1 or stride != 0 and stride % 8 == 0
                   for length, stride in zip(one.shape[:3], one.stride())) for one in tensors):
        return False
    heads, kv_heads = query.shape[1], key.shape[1]
    return (query.dtype in (torch.float16, torch.bfloat16) and key.shape == value.shape and
            query.shape[0] == key.shape[0] and query.shape[-1] == key.shape[-1] and
            query.shape[-1] in _attention.HEAD_DIMS and
            (heads == kv_heads or enable_gqa and heads % kv_heads == 0) and
            not (torch.is_grad_enabled() and any(one.requires_grad for one in tensors)) and
            not torch.is_autocast_enabled(query.device.type) and _is_hopper(query))


def scaled_dot_product_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
                                 attn_mask: Optional[torch.Tensor] = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: Optional[float] = None,
                                 enable_gqa: bool = False) -> torch.Tensor:
    """scaled_dot_product_attention of torch.nn.functional, with tilecast's kernel if one supports
    the call (fp16 and bf16 on a GPU of compute capability 9.0, head_dim 64, 128 or 256, 16-byte
    strides, no gradients, mask, dropout or autocast; causal with equal lengths, since torch aligns
    others at the first key), and torch's own otherwise."""
    if (attn_mask is None and dropout_p == 0.0 and (not is_causal or query.shape[-2] == key.shape[-2]) and
            (scale is None or scale > 0) and _has_attention(query, key, value, enable_gqa)):
        return attention(query, key, value, causal=is_causal, scale=scale)
    return _torchs_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)


def _grouped_by_k(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor,
                  out: Optional[torch.Tensor]) -> torch.Tensor:
    (m, k), n, groups = a.shape, b.shape[1], rows.numel()
    if not a.mT.is_contiguous() or not b.is_contiguous():
        raise ConfigError("a.mT and b must be contiguous, as they are for a = x.mT and b = dy")
    sides = (groups, m, n)
    if out is None:
        out = a.new_empty(sides)
    elif out.shape != sides or out.dtype != a.dtype or out.device != a.device or not out.is_contiguous():
        raise ConfigError("out: expected a contiguous tensor of shape [groups,m,n] with the dtype and device of a")
    if k == 0:
        return out.zero_()
    if out.numel() > 0:
        shape = _library.Shape(m, n, k, _GROUPED_TYPES[a.dtype], _library.NT, groups=groups, along_k=True)
        # Copies the transpose, because a copy of a itself would be row-major.
        _run_grouped(shape, _aligned(a.mT), _aligned(b), out, rows)
    return out


def _run_grouped(shape: _library.Shape, a: torch.Tensor, b: torch.Tensor, out: torch.Tensor,
                 rows: torch.Tensor) -> None:
    with torch.cuda.device(a.device):
        stream = torch.cuda.current_stream().cuda_stream
        plan = _matmul.kept_plan(shape, a.device.index, stream)
        workspace = _matmul.workspace_of(torch, plan, a.device, stream)
        plan.run(a.data_ptr(), b.data_ptr(), out.data_ptr(), stream,
                 0 if workspace is None else workspace.data_ptr(), group_rows=rows.data_ptr())


_GROUPED_TYPES = {torch.float16: _library.FP16, torch.bfloat16: _library.BF16}


def grouped_mm(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor,
               out: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Multiplies each group of a's rows by its own B, like the experts of a mixture of experts, in one launch.

    a       [m,k] with consecutive groups, or [groups,capacity,k], masked: the first rows of each group
            are used, and the remaining rows of `out` are left unchanged
    b       [groups,k,n], contiguous, or with a contiguous transpose [groups,n,k] (weight.mT)
    rows    [groups] int32 on the device, read there by each launch: the end row of each group, as
            torch's `offs`; for a masked a the number of its rows
    out     like a, with n instead of k

    Or groups along K, as in a backward pass: a [m,k] and b [k,n], where a's transpose and b are
    contiguous (x.mT and dy in dW = x^T dy); `out` is [groups,m,n], zero for empty groups.

    With TILECAST_CHECK_GROUPS=1 in the environment each call synchronizes, and raises if `rows` are
    out of order or out of range; otherwise they are clamped. Takes fp16 and bf16; the kernel is chosen
    for groups of equal size. No gradients. Raises like `tilecast.matmul`.
    """
    masked, by_k = a.dim() == 3, a.dim() == 2 and b.dim() == 2
    if a.dim() not in (2, 3) or not (by_k or b.dim() == 3) or a.shape[-1] != b.shape[-2]:
        raise ConfigError("expected a of shape [m,k] or [groups,capacity,k] with b of shape [groups,k,n], "
                          "or a of shape [m,k] with b of shape [k,n]")
    k, n = b.shape[-2:]
    groups = rows.numel() if by_k else b.shape[0]
    if masked and a.shape[0] != groups:
        raise ConfigError(f"a has {a.shape[0]} groups, but b has {groups}")
    if torch.is_grad_enabled() and (a.requires_grad or b.requires_grad):
        raise ConfigError("a or b requires grad, but this function has no backward pass")
    if not a.is_cuda or b.device != a.device or rows.device != a.device:
        raise ConfigError("a, b and rows: expected CUDA tensors on the same device")
    if a.dtype not in _GROUPED_TYPES or b.dtype != a.dtype:
        raise ConfigError("a and b: expected the same dtype, fp16 or bf16")
    if rows.dtype != torch.int32 or rows.shape != (groups,) or not rows.is_contiguous():
        raise ConfigError(f"rows: expected a contiguous int32 tensor of {groups} elements")
    if by_k:
        return _grouped_by_k(a, b, rows, out)
    if not a.is_contiguous() or not (b.is_contiguous() or b.mT.is_contiguous()):
        raise ConfigError("a, and either b or its transpose, must be contiguous")
    sides = (*a.shape[:-1], n)
    if out is None:
        out = a.new_empty(sides)
    elif out.shape != sides or out.dtype != a.dtype or out.device != a.device or not out.is_contiguous():
        raise ConfigError(f"out: expected a contiguous tensor of shape {tuple(sides)} with the dtype and device of a")
    if a.numel() == 0 or b.numel() == 0:
        if k == 0:
            raise ConfigError("a and b: expected k of at least 1")
        return out  # no tokens, or no columns
    shape = _library.Shape(a.numel() // k, n, k, _GROUPED_TYPES[a.dtype],
                           _library.TN if b.mT.is_contiguous() else _library.NN, groups=groups,
                           capacity=a.shape[1] if masked else 0)
    _run_grouped(shape, _aligned(a), _aligned(b), out, rows)
    return out


def _is_aligned(tensor: torch.Tensor) -> bool:
    """Whether the tensor is aligned to 16 bytes. A traced call has no address; the operator copies
    unaligned tensors."""
    return torch.compiler.is_compiling() or isinstance(tensor, FakeTensor) or tensor.data_ptr() % 16 == 0


def _gpu_of(tensor: torch.Tensor) -> str:
    """Returns the name of the GPU file of the tensor's device."""
    if not torch.cuda.is_available():
        return DEFAULT_GPU  # traced for a GPU that is not in this machine
    gpu = torch.cuda.get_device_properties(tensor.device)
    try:
        return gpu_of(gpu.name, gpu.multi_processor_count)
    except ConfigError:
        return DEFAULT_GPU


def _is_hopper(tensor: torch.Tensor) -> bool:
    if isinstance(tensor, FakeTensor) and not torch.cuda.is_available():
        return True  # traced for a GPU that is not in this machine
    gpu = torch.cuda.get_device_properties(tensor.device)
    return (gpu.major, gpu.minor) == (9, 0)


def _has_kernel(input: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor]) -> bool:
    # Rows of B, [out_features, in_features], are multiples of 16 bytes.
    if not (input.is_cuda and input.dtype in (torch.float16, torch.bfloat16) and
            input.dtype == weight.dtype and input.device == weight.device and
            input.shape[-1] == weight.shape[1] and input.shape[-1] % 8 == 0 and
            input.numel() > 0 and weight.numel() > 0 and weight.stride(1) == 1 and weight.stride(0) % 8 == 0 and
            weight.stride(0) >= weight.shape[1] and
            (bias is None or (bias.dtype == weight.dtype and bias.device == weight.device and
                              bias.is_contiguous() and _is_aligned(bias))) and
            not torch.is_autocast_enabled(input.device.type)):
        return False
    return _is_hopper(input) and _is_aligned(input) and _is_aligned(weight)


def _hooks_of(module: torch.nn.Module) -> str:
    """Returns the module's first kind of hooks in words; empty if there are none."""
    kinds = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
    return next((kind.strip("_").replace("_", " ") for kind in kinds if getattr(module, kind)), "")


def why_not_shared(layer: torch.nn.Linear) -> str:
    """Returns features of the layer that a GEMM of its parameters would ignore; empty if there
    are none."""
    if isinstance(layer, torch.nn.LazyLinear):
        return "a LazyLinear has no weight before its first call"
    if parametrize.is_parametrized(layer):
        return f"{', '.join(layer.parametrizations)} is parametrized"
    if "weight" not in layer._parameters or "bias" not in layer._parameters:
        return "weight or bias is computed in each call, as by weight_norm or pruning"
    if _hooks_of(layer):
        return f"it has {_hooks_of(layer)}"
    if "forward" in vars(layer) or type(layer).forward not in (torch.nn.Linear.forward, Linear.forward):
        return f"{type(layer).__name__} overrides forward"
    return ""


class Linear(torch.nn.Linear):
    """torch.nn.Linear that uses tilecast's GEMM if it has a kernel (fp16 and bf16 on a GPU of compute
    capability 9.0, in_features a multiple of 8, tensors aligned to 16 bytes, no autocast), and
    torch's own otherwise. Bias and activation, as in `tilecast.matmul`, are fused into the kernel. The output
    of a gated activation has out_features / 2 columns."""

    def __init__(self, *sides: Any, activation: Optional[str] = None, **options: Any):
        super().__init__(*sides, **options)
        columns_of_c(self.out_features, activation)
        self.activation = activation

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        # A call like an earlier one needs none of the checks below, which take longer than a
        # launch.
        if input.dim() > 1 and _is_eager(input, self.weight, self.bias) and not torch.is_autocast_enabled("cuda"):
            rows = input if input.dim() == 2 else input.flatten(0, -2)
            product = _matmul.known_product(rows, self.weight.t(), self.bias, self.activation)
            if product is not None:
                return product if rows is input else product.view(*input.shape[:-1], product.shape[-1])
        if not _has_kernel(input, self.weight, self.bias):
            return _ACTIVATED[self.activation](functional.linear(input, self.weight, self.bias))
        rows = input.reshape(-1, self.in_features)
        product = matmul(rows.contiguous(), self.weight.t(), self.bias, self.activation)
        return product.view(*input.shape[:-1], product.shape[-1])

    @classmethod
    def of(cls, layer: torch.nn.Linear, activation: Optional[str] = None) -> Linear:
        """Returns the same layer, sharing its parameters, followed by `activation`, or else by the
        layer's activation, if any. Raises ConfigError for a layer that computes more than its
        GEMM."""
        if not isinstance(layer, torch.nn.Linear):
            raise ConfigError(f"expected a torch.nn.Linear, got {type(layer).__name__}")
        why = why_not_shared(layer)
        if why:
            raise ConfigError(f"layer: {why}")
        made = cls.__new__(cls)
        torch.nn.Module.__init__(made)
        made.in_features, made.out_features = layer.in_features, layer.out_features
        made.weight, made.bias = layer.weight, layer.bias
        own = layer.activation if isinstance(layer, Linear) else None
        made.activation = own if activation is None else activation
        columns_of_c(made.out_features, made.activation)
        return made.train(layer.training)

    def extra_repr(self) -> str:
        return super().extra_repr() + (f", activation={self.activation}" if self.activation else "")


def _check_words(**words: tuple[str, tuple[str, ...]]) -> None:
    for name, (value, known) in words.items():
        if value not in known:
            raise ConfigError(f"{name}: expected {' or '.join(known)}, got {value!r}")


def forecast(model: Any, *inputs: Any, gpu: str = DEFAULT_GPU, mode: str = "eager", regime: str = "burst",
             launch: str = "graph", repeats: int = 1, routing: str = "uniform", calibrated: bool = True,
             threads: int = 0, **options: Any) -> Forecast:
    """Predicts the cost of a forward pass of `model` on a GPU, by operation, without a GPU and
    without its weights: a module on the meta device is sufficient.

    inputs   arguments of forward: tensors on any device, also the meta device; `options` are its keyword arguments
    mode     "eager", or "compile": torch.compile's kernels
    regime   "burst": on an idle GPU; "sustained": under continuous load, where power sets the clock
    launch   "graph": one CUDA graph; in a burst its start is counted; "stream": operator by operator
    repeats  number of passes in one graph or burst, by which the time of its start is divided
    routing  rows of the experts in torch's grouped GEMMs: "uniform", or "zipf:1.1" by Zipf's law

    GEMMs take the time of cuBLASLt, attention the time of cuDNN (docs/layers.md). Raises ConfigError, a ValueError, for
    a model whose operations depend on values.
    """
    _check_words(mode=(mode, ("eager", "compile")), regime=(regime, ("burst", "sustained")),
                 launch=(launch, ("graph", "stream")))
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ConfigError(f"repeats: expected an integer of at least 1, got {repeats!r}")
    recording = _recorded.record(model, inputs, options, routing)
    return Forecast(_recorded.kernels_of(recording, mode), Timer(gpu, regime, calibrated, threads), gpu, mode, launch,
                    repeats)


def accelerate(model: torch.nn.Module, *inputs: Any, gpu: str = DEFAULT_GPU, mode: str = "compile",
               regime: str = "sustained", least: float = LEAST_GAIN, **options: Any) -> Accelerated:
    """Replaces, in place, each nn.Linear of `model` that tilecast's kernel is predicted to make
    faster for these inputs, by a `Linear` with the same parameters. Under torch.compile the kernel
    fuses operations that are the only consumers of its GEMM: an activation, SwiGLU or GeGLU of
    halves of its columns, the addition of a residual. Returns a table of the replacements, the
    predicted gain of each, and why other layers were kept. state_dict does not change.

    inputs   as in `forecast`: only shapes matter
    mode     "compile", for a model that is compiled afterwards; "eager", where nothing is fused
    regime   as in `forecast`; later GEMMs of this process use the kernels that are fastest under it
    least    a GEMM is replaced if its time in torch / (that time - the saved time) is at least this

    The weight of a gated GEMM is permuted in place: rows of gate and up alternate. `state_dict`
    and `load_state_dict` undo this, but `parameters()` and an optimizer see it; create the
    optimizer's state afterwards.
    """
    from . import _accelerate

    _check_words(mode=(mode, ("eager", "compile")), regime=(regime, ("burst", "sustained")))
    if not isinstance(model, torch.nn.Module):
        raise ConfigError(f"model: expected a torch.nn.Module, got {model!r}")
    if not isinstance(least, (int, float)) or not least >= 0:
        raise ConfigError(f"least: expected a number of at least 0, got {least!r}")
    timer = Timer(gpu, regime)
    if "wgmma.flops_per_sm" not in timer.gpu:
        raise ConfigError(f"gpu: tilecast.torch.Linear has kernels for Hopper alone, not for {gpu}")
    return _accelerate.accelerate(model, inputs, options, timer=timer, mode=mode, least=least)
