"""Plans, caches and launches tilecast.attention on torch and DLPack tensors."""

from __future__ import annotations

import functools
import math
import sys
from typing import Any, Optional

from . import _library, _matmul
from ._model import ConfigError
from ._problem import flag

HEAD_DIMS = (64, 128, 256)
# Keywords of other attention functions: the feature, and the value that does not request it.
_ELSEWHERE = {
    "attn_mask": ("masks other than causal", None), "mask": ("masks other than causal", None),
    "window_size": ("masks other than causal", (-1, -1)), "alibi_slopes": ("a bias of scores", None),
    "softcap": ("a bias of scores", 0.0), "dropout_p": ("dropout", 0.0), "cu_seqlens_q": ("variable lengths", None),
    "cu_seqlens_k": ("variable lengths", None), "cu_seqlens": ("variable lengths", None),
    "seqused_k": ("variable lengths", None), "cache_seqlens": ("variable lengths", None),
    "block_table": ("a paged KV cache", None), "page_table": ("a paged KV cache", None)}


def attention(q: Any, k: Any, v: Any, *, causal: bool = False, scale: Optional[float] = None, out: Any = None,
              return_lse: bool = False, stream: Optional[int] = None, **others: Any) -> Any:
    """Computes softmax(scale q k^T) v of each query head with the kernel that is predicted to be
    the fastest, in fp32.

    q       [batch, heads, queries, head_dim], CUDA, fp16 or bf16: a torch tensor, or anything with `__dlpack__`.
            head_dim is 64, 128 or 256 and contiguous; the other strides are any multiples of 16 bytes, so the
            transpose of [batch, queries, heads, head_dim] needs no copy
    k, v    [batch, kv_heads, keys, head_dim] of its type; kv_heads divides heads (GQA), and consecutive query heads
            share a KV head
    causal  each query attends to the keys up to its position. The last query attends to the last key, even if there
            are more or fewer queries than keys. Rows that attend to no key are zero
    scale   factor of the scores, above 0; 1 / sqrt(head_dim) by default
    out     like q, overlapping no other tensor; required for tensors that are not torch's
    stream  as in `matmul`

    Returns `out`, or with `return_lse` `out` and the log-sum-exp of each row's scores, [batch, heads, queries] in
    fp32. The first call for a problem predicts and compiles, which takes up to seconds; later calls do not. There
    are no gradients. Variable lengths, paged KV caches, other masks and dropout are not supported.

    Raises like `matmul`.
    """
    _refuse(others)
    causal, return_lse = flag("causal", causal), flag("return_lse", return_lse)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(q, torch.Tensor):
        if torch.is_grad_enabled() and any(getattr(one, "requires_grad", False) for one in (q, k, v, out)):
            raise ConfigError("q, k, v or out requires grad, but attention has no backward pass: call it under "
                              "torch.no_grad()")
        return torch_attention(torch, q, k, v, causal, scale, out, return_lse, stream)
    if out is None or return_lse:
        raise ConfigError(f"{'return_lse: not supported' if return_lse else 'out: must be given'} "
                          "if the tensors are not torch tensors")
    stream = stream or 0
    views = [_library.view(name, tensor, stream) for name, tensor in zip(("q", "k", "v", "out"), (q, k, v, out))]
    sides, strides, types, devices = zip(*((one.sides, one.strides, one.type, one.device) for one in views))
    shape = _shape(sides, strides, types, devices, causal, False)
    number = _scale(scale)
    current = _library.current_device()
    if views[0].device != current:
        raise ConfigError(f"q, k, v and out are on device {views[0].device}, but device {current} is current")
    plan = _matmul.kept_plan(shape, current, stream)
    if plan.workspace_bytes:
        raise ConfigError("q, k, v and out: expected torch tensors, since the kernel for this shape needs a "
                          "workspace")
    plan.run(*(one.data for one in views), stream, number)
    return out


def _refuse(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name not in _ELSEWHERE:
            raise TypeError(f"attention() got an unexpected keyword argument {name!r}")
        meaning, nothing = _ELSEWHERE[name]
        if value is not nothing and (nothing is None or value != nothing):
            raise ConfigError(f"{name}: tilecast.attention does not support {meaning}")


def _scale(scale: Optional[float]) -> float:
    """Returns the library's value, in which 0 stands for the default."""
    if scale is None:
        return 0.0
    if not 0 < scale < math.inf:
        raise ConfigError(f"scale: expected a number above 0, got {scale!r}")
    return float(scale)


def _shape(sides: tuple, strides: tuple, types: tuple, devices: tuple, causal: bool,
           lse: bool) -> _library.AttentionShape:
    """Returns the problem of q, k, v and out, of which out may be missing; raises ConfigError if no
    kernel computes it. Types are values of tilecast_type."""
    for name, side in zip(("q", "k", "v", "out"), sides):
        if len(side) != 4:
            raise ConfigError(f"{name}: expected [batch, heads, rows, head_dim], got {len(side)} dimensions; variable "
                              "lengths and paged KV caches are not supported")
    (batch, heads, queries, head_dim), (_, kv_heads, keys, _), value = sides[:3]
    if tuple(sides[1]) != (batch, kv_heads, keys, head_dim):
        raise ConfigError(f"k: expected the batch {batch} and head_dim {head_dim} of q, got shape {tuple(sides[1])}")
    if tuple(value) != tuple(sides[1]):
        raise ConfigError(f"v: expected the shape of k, {tuple(sides[1])}, got {tuple(value)}")
    if len(sides) > 3 and tuple(sides[3]) != tuple(sides[0]):
        raise ConfigError(f"out: expected the shape of q, {tuple(sides[0])}, got {tuple(sides[3])}")
    if any(kind != types[0] for kind in types) or any(device != devices[0] for device in devices):
        raise ConfigError("q, k, v and out: expected the same dtype and device")
    if head_dim not in HEAD_DIMS:
        raise ConfigError(f"head_dim: expected 64, 128 or 256, got {head_dim}")
    if kv_heads == 0 or keys == 0:
        raise ConfigError("k and v: expected at least one head and one key")
    if heads % kv_heads:
        raise ConfigError(f"q: expected a multiple of the {kv_heads} KV heads, got {heads} heads")
    return _library.AttentionShape(batch, heads, kv_heads, queries, keys, head_dim, types[0], causal, lse,
                                   *(_strides(*of) for of in zip(("q", "k", "v", "out"), sides, strides)))


def _strides(name: str, side: tuple, strides: tuple) -> tuple[int, ...]:
    """Returns strides of batch, head and row; 0 for a dimension of one element, whose stride is
    never used."""
    if strides[3] != 1:
        raise ConfigError(f"{name}: expected a last stride of 1, got {strides[3]}; {name}.contiguous() makes a copy")
    for length, stride in zip(side[:3], strides):
        if length > 1 and stride == 0:
            raise ConfigError(f"{name}: expanded tensors are not supported; {name}.contiguous() makes a copy. Query "
                              "heads can share KV heads (GQA) without expansion")
        if length > 1 and stride % 8:
            raise ConfigError(f"{name}: expected strides in multiples of 8 elements, got {tuple(strides)}; "
                              f"{name}.contiguous() makes a copy")
    return tuple(stride if length > 1 else 0 for length, stride in zip(side[:3], strides))


def torch_shape(torch: Any, sides: tuple, strides: tuple, types: tuple, devices: tuple, causal: bool,
                lse: bool) -> _library.AttentionShape:
    """Returns the problem of torch's q, k, v and, if given, out."""
    kinds = {torch.float16: _library.FP16, torch.bfloat16: _library.BF16}
    for name, kind, device in zip(("q", "k", "v", "out"), types, devices):
        if kind not in kinds:
            raise ConfigError(f"{name}: expected fp16 or bf16, got {kind}")
        if device.type != "cuda":
            raise ConfigError(f"{name}: expected a CUDA tensor")
    return _shape(sides, strides, tuple(map(kinds.__getitem__, types)), devices, causal, lse)


_known_shape = functools.lru_cache(maxsize=_matmul.KEPT_PLANS)(torch_shape)


def described(*tensors: Any) -> tuple:
    """Returns the arguments of `torch_shape` for torch's tensors."""
    return (tuple([one.shape for one in tensors]), tuple([one.stride() for one in tensors]),
            tuple([one.dtype for one in tensors]), tuple([one.device for one in tensors]))


def torch_attention(torch: Any, q: Any, k: Any, v: Any, causal: bool, scale: Optional[float], out: Any,
                    return_lse: bool, stream: Optional[int], keeps_memory: bool = True) -> Any:
    """Runs attention. `keeps_memory`: a workspace may outlive the call."""
    number = _scale(scale)
    for name, one in ("k", k), ("v", v), ("out", out):
        if not isinstance(one, torch.Tensor) and (name != "out" or one is not None):
            raise ConfigError(f"{name}: expected a torch tensor, since q is one")
    if q.device.type != "cuda":
        raise ConfigError("q: expected a CUDA tensor")

    def run(on: int) -> Any:
        result = torch.empty_like(q) if out is None else out
        shape = _known_shape(torch, *described(q, k, v, result), causal, return_lse)
        lse = q.new_empty(q.shape[:3], dtype=torch.float32) if return_lse else None
        if result.numel():
            plan = _matmul.kept_plan(shape, q.device.index, on)
            workspace = _matmul.workspace_of(torch, plan, q.device, on, keeps_memory)
            plan.run(q.data_ptr(), k.data_ptr(), v.data_ptr(), result.data_ptr(), on, number,
                     None if lse is None else lse.data_ptr(), 0 if workspace is None else workspace.data_ptr())
        return (result, lse) if return_lse else result

    return _matmul.on_stream(torch, q.device.index, stream, run)
