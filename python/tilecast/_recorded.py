"""Records the operations of a torch model without running it: under FakeTensorMode, on a device
"cuda" that need not exist, with parameters that only have shapes. `kernels` converts them to the
launches of eager torch or of Inductor."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import types
import warnings
from collections.abc import Iterable
from typing import Any, Optional

import torch
from torch._subclasses import fake_tensor
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ._kernels import Kernel
from ._problem import Attention, ConfigError, Gemm, word_of

# If a result is read by several kernels, Inductor writes it instead of computing it again in each
# of them, if it reads more buffers than config.realize_reads_threshold.
_MOST_READS = 4
GEMM_TYPES = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2"}
_ROWS = {  # reductions over the last dimensions that keep the shape, and the argument that names the dimensions
    "_softmax", "_log_softmax", "_safe_softmax", "native_layer_norm", "_fused_rms_norm", "rms_norm", "cumsum"}
_REDUCTIONS = {"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "var", "var_mean", "std", "norm",
               "linalg_vector_norm", "logsumexp", "any", "all", "prod", "topk", "sort"} | _ROWS
_COPIES = {"clone", "_to_copy", "copy_", "copy", "index_select", "embedding", "gather", "index", "slice_scatter",
           "constant_pad_nd", "roll", "repeat", "flip", "tril", "triu", "contiguous", "masked_fill", "stack",
           "native_dropout"}
_WRITES = {"index_copy_", "index_put_", "index_put", "index_copy", "scatter_", "scatter", "index_add", "scatter_add",
           "index_add_", "scatter_add_"}
_FACTORIES = {"arange", "zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "scalar_tensor", "fill_",
              "zero_", "rand", "randn", "bernoulli_", "new_zeros", "new_ones", "new_full", "fill"}
_EMPTY = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "detach", "lift_fresh", "alias"}


@dataclasses.dataclass(frozen=True)
class Operand:
    """A tensor operand of an operation."""

    buffer: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    itemsize: int

    @property
    def numel(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> float:
        """Number of bytes, counting each element in memory once."""
        return float(self.itemsize * math.prod(n for n, step in zip(self.shape, self.stride) if step != 0))

    def extent(self) -> int:
        """Number of consecutive elements in memory, from the first one on."""
        expected = 1
        for step, n in sorted((step, n) for n, step in zip(self.shape, self.stride) if n > 1):
            if step != expected:
                break
            expected *= n
        return expected


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    reads: tuple[Operand, ...]
    writes: tuple[Operand, ...]
    kind: str  # gemm, attention, pointwise, reduction, view or unknown
    row: int = 0
    gemm: Optional[Gemm] = None
    attention: Optional[Attention] = None
    at: str = ""
    # "matmul" or "gate_up", an operator of tilecast.torch; empty for torch's operators
    ours: str = ""
    flops: float = 0
    masked: bool = False  # attention with a mask or dropout
    unit: str = ""  # what computes them at best: fp32, tf32, 16 or 8 (bits, tensor cores)


class Recording:
    """The operations of one forward pass, in order, and the buffers that it returns."""

    def __init__(self, routing: str = "uniform") -> None:
        self.routing = routing  # how rows are divided among the groups of a mixture of experts
        self.operations: list[Operation] = []
        self.returned: set[int] = set()
        self.given: set[int] = set()  # buffers of inputs, parameters and module buffers, which keep writes
        self.linears: list[tuple[torch.nn.Module, range]] = []  # each nn.Linear call, with the index range of its operations
        self._buffers: dict[int, int] = {}
        self._kept: list[Any] = []  # keeps storages, so that no two share an address
        self._path: list[str] = []

    def operand(self, tensor: torch.Tensor) -> Operand:
        storage = tensor.untyped_storage()
        if storage._cdata not in self._buffers:
            self._buffers[storage._cdata] = len(self._buffers)
            self._kept.append(storage)
        return Operand(self._buffers[storage._cdata], tuple(tensor.shape), tuple(tensor.stride()),
                       tensor.storage_offset(), tensor.element_size())

    def new_buffer(self) -> int:
        self._buffers[-len(self._buffers) - 1] = len(self._buffers)
        return len(self._buffers) - 1

    def add(self, name: str, reads: Iterable[torch.Tensor], writes: Iterable[torch.Tensor], kind: str,
            **more: Any) -> None:
        self.operations.append(Operation(name, tuple(map(self.operand, reads)), tuple(map(self.operand, writes)), kind,
                                         at=self._path[-1] if self._path else "", **more))


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _is_view(func: Any) -> bool:
    schema = func._schema
    return (any(one.alias_info is not None and not one.alias_info.is_write for one in schema.returns) or
            func.overloadpacket.__name__ == "_unsafe_view")


def _ours_of(name: str, a: torch.Tensor, b: torch.Tensor, bias: Optional[torch.Tensor] = None, *more: Any) -> Gemm:
    """Returns the GEMM of an operator of tilecast.torch."""
    gemm = gemm_of("mm", (a, b.t() if name == "gate_up" else b))
    if name == "gate_up" and b.stride(0) != b.shape[1]:  # a view of the gate's rows
        gemm = dataclasses.replace(gemm, n=2 * gemm.n)
    words = [] if bias is None else ["bias_n" if bias.shape[-1] == gemm.n else "bias_m"]
    if name == "matmul":
        words += [word for word in (*more[:1], "residual" if more[1:] and more[1] is not None else None) if word]
    return dataclasses.replace(gemm, epilogue="+".join(words) or "none")


def gemm_of(name: str, arguments: tuple) -> Optional[Gemm]:
    """Returns the GEMM of mm, addmm, bmm, baddbmm or _scaled_mm, with its bias as an
    epilogue."""
    bias = arguments[0] if name in ("addmm", "baddbmm") else None
    a, b = (arguments[1:3] if bias is not None else arguments[:2])
    if a.dtype != b.dtype and name != "_scaled_mm":
        raise ConfigError(f"model: {name}: torch multiplies no {word_of(a.dtype)} by {word_of(b.dtype)}")
    if a.dtype not in GEMM_TYPES:
        return None
    m, k = a.shape[-2:]
    n = b.shape[-1]
    if min(m, n, k) < 1:
        return None
    layout = ("t" if a.stride(-1) != 1 and a.stride(-2) == 1 and m > 1 else "n",
              "t" if b.stride(-2) == 1 or n == 1 else "n")
    word = {("n", "t"): "tn", ("n", "n"): "nn", ("t", "n"): "nt", ("t", "t"): "tt"}[layout]
    epilogue = "none"
    if bias is not None:
        epilogue = "bias_n" if bias.dim() == 1 else "residual"
    if name == "_scaled_mm":
        epilogue = "scale_tensor" if arguments[2].numel() == 1 else "scale_row"
    batch = a.shape[0] if a.dim() == 3 else 1
    shared = "".join(side for side, one in (("a", a), ("b", b)) if batch > 1 and one.stride(0) == 0)
    return Gemm(m, n, k, GEMM_TYPES[a.dtype], word, epilogue, f"{batch}:{shared}" if shared else batch)


def _unit_of(dtype: torch.dtype, name: str) -> str:
    """Returns what multiplies numbers of a type at best. torch's convolutions use TF32 by default, its GEMMs do not."""
    if dtype.itemsize < 4:
        return "16" if dtype.itemsize == 2 else "8"
    if dtype == torch.float32 and ("conv" in name or torch.get_float32_matmul_precision() != "highest"):
        return "tf32"
    return "fp32"


def _flops_of(name: str, args: tuple, out: Any) -> dict[str, Any]:
    """Returns the FLOPs of a product or a convolution as fields of Operation."""
    if name == "convolution":  # input, weight, bias, stride, padding, dilation, transposed
        flops = 2.0 * (args[0] if args[6] else out).numel() * args[1][0].numel()
    elif name in ("addmm", "baddbmm") or name.endswith("mm"):
        args = args[1:] if name in ("addmm", "baddbmm") else args
        flops = 2.0 * out.numel() * args[0].shape[-1]
    else:
        return {}
    return {"flops": flops, "unit": _unit_of(args[0].dtype, name)}


def group_rows(rows: int, groups: int, routing: str) -> tuple[int, ...]:
    """Returns the rows of each group: equal, or by Zipf's law with an exponent, "zipf:1.1"; their
    sum is `rows`."""
    word, _, number = routing.partition(":")
    try:
        exponent = float(number) if word == "zipf" else 0.0 if routing == "uniform" else math.nan
    except ValueError:
        exponent = math.nan
    if not 0 <= exponent <= 10:
        raise ConfigError(f"routing: expected uniform, or zipf:EXPONENT with an exponent from 0 to 10, got {routing!r}")
    weights = [(place + 1) ** -exponent for place in range(groups)]
    ends = [round(rows * sum(weights[:place + 1]) / sum(weights)) for place in range(groups)]
    return tuple(end - begin for begin, end in zip([0, *ends], ends))


def _grouped_of(a: torch.Tensor, b: torch.Tensor, routing: str) -> Optional[Gemm]:
    """Returns the GEMM of _grouped_mm: consecutive rows of a, each group with a separate B;
    groups along K are not supported."""
    if a.dim() != 2 or b.dim() != 3 or a.dtype not in GEMM_TYPES or min(*a.shape, *b.shape) < 1:
        return None
    return Gemm(group_rows(a.shape[0], b.shape[0], routing), b.shape[2], a.shape[1], GEMM_TYPES[a.dtype],
                "tn" if b.stride(-2) == 1 else "nn")


class _Operators(TorchDispatchMode):
    """Records each operator that reaches the device."""

    def __init__(self, recording: Recording):
        super().__init__()
        self._recording = recording
        self._gate_ups: dict[tuple[Operand, ...], torch.Tensor] = {}

    # Operators that take functions, such as flex_attention
    supports_higher_order_operators = True

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if isinstance(func, torch._ops.HigherOrderOperator):
            out = func(*args, **(kwargs or {}))
            self._recording.add(func.name(), _tensors((args, kwargs)), _tensors(out), "unknown")
            return out
        if func.namespace == "tilecast" and func.overloadpacket.__name__ == "gate_up":
            key = tuple(map(self._recording.operand, _tensors(args)))
            if key in self._gate_ups:  # torch.compile computes the GEMM once
                return self._gate_ups[key]
            self._gate_ups[key] = self._recorded(func, args, kwargs)
            return self._gate_ups[key]
        return self._recorded(func, args, kwargs)

    def _recorded(self, func, args, kwargs):
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if func.namespace == "prim" or name in _EMPTY or not _tensors(out):
            return out
        reads, writes, more = _tensors((args, kwargs)), _tensors(out), {}
        kind = "unknown"
        if _is_view(func):
            return out
        if name == "gelu" and (kwargs or {}).get("approximate") == "tanh":
            name = "gelu_tanh"
        if func.namespace == "tilecast" and name in ("matmul", "gate_up"):
            kind, more = "gemm", {"gemm": _ours_of(name, *args), "ours": name}
        elif name in ("mm", "addmm", "bmm", "baddbmm", "_scaled_mm"):
            more = {"gemm": gemm_of(name, args), **_flops_of(name, args, out)}
            kind = "gemm" if more["gemm"] else "unknown"
        elif name == "_grouped_mm":
            more = {"gemm": _grouped_of(args[0], args[1], self._recording.routing), **_flops_of(name, args, out)}
            kind = "gemm" if more["gemm"] else "unknown"
        elif name in _REDUCTIONS:
            kind = "reduction"
            more["row"] = (reads[0].shape[-1] if name in _ROWS and reads[0].dim() else
                           max(1, reads[0].numel() // max(1, writes[0].numel())))
            writes = writes[:1]  # statistics of its rows are small, and only backward passes read them
        elif name in _WRITES:
            kind, writes = "pointwise", []
            # Values are read and written in place; sums read their destination as well.
            reads = reads[-1:] * (3 if "add" in name else 2)
        elif name in _FACTORIES:
            kind, reads = "pointwise", []
        elif name == "cat" or name in _COPIES or torch.Tag.pointwise in func.tags:
            kind = "pointwise"
            if name in ("embedding", "index_select", "gather", "index"):
                reads = [writes[0]]  # the operand has the size of the result
            if name == "copy_":
                reads = reads[1:]  # the destination is only written
        else:
            more = _flops_of(name, args, out)
        self._recording.add(name, reads, writes, kind, **more)
        return out


class _Functions(TorchFunctionMode):
    """Records attention as one operation, before torch decomposes it for a machine without the
    GPU's kernels."""

    def __init__(self, recording: Recording, operators: _Operators):
        super().__init__()
        self._recording, self._operators = recording, operators

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.nn.functional.scaled_dot_product_attention:
            return self._attention(*args, **kwargs)
        return self._inner(func)(*args, **kwargs)

    def _inner(self, func):
        """Returns a function of torch that itself calls attention, such as that of
        nn.MultiheadAttention, with a call that is recorded: torch disables the mode inside."""
        name = torch.nn.functional.scaled_dot_product_attention.__name__
        if not isinstance(func, types.FunctionType) or name not in func.__code__.co_names:
            return func
        made = types.FunctionType(func.__code__, {**func.__globals__, name: self._attention}, func.__name__,
                                  func.__defaults__, func.__closure__)
        made.__kwdefaults__ = func.__kwdefaults__
        return made

    def _attention(self, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                   enable_gqa=False):
        rank = query.dim()
        with _paused(self._operators):  # the result has the strides of the queries
            order = sorted(range(rank), key=lambda i: (query.stride(i), i), reverse=True)
            sides = [(*query.shape[:-1], value.shape[-1])[i] for i in order]
            out = query.new_empty(sides).permute([order.index(i) for i in range(rank)])
            if is_causal and query.shape[-2] < key.shape[-2]:  # torch aligns the mask at the first key: no query
                key, value = key[..., :query.shape[-2], :], value[..., :query.shape[-2], :]  # attends to keys beyond its own index
        attention = _attention_of(query, key, value, bool(is_causal))
        reads = [query, key, value] + ([attn_mask] if attn_mask is not None else [])
        self._recording.add("attention", reads, [out], "attention" if attention else "unknown", attention=attention,
                            masked=attn_mask is not None or dropout_p > 0, flops=2.0 * query.numel() * key.shape[-2] * (1 if is_causal else 2),
                            unit=_unit_of(query.dtype, "attention"))
        return out


def _attention_of(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, causal: bool) -> Optional[Attention]:
    """Returns None for shapes and types without a fused kernel, and for more queries than keys
    under torch's causal mask, which is aligned at the first key, while tilecast's is aligned at the
    last."""
    if (query.dtype not in (torch.float16, torch.bfloat16) or not query.dim() == key.dim() == value.dim() == 4 or
            key.shape != value.shape or query.shape[0] != key.shape[0] or query.shape[3] != key.shape[3] or
            query.numel() == 0 or key.numel() == 0 or query.shape[1] % key.shape[1] or
            causal and query.shape[2] != key.shape[2]):
        return None
    batch, heads, queries, head_dim = query.shape
    return Attention(batch=batch, heads=heads, kv_heads=key.shape[1], queries=queries, keys=key.shape[2],
                     head_dim=head_dim, causal=causal, dtype=GEMM_TYPES[query.dtype],
                     layout="bshd" if query.stride(1) < query.stride(2) else "bhsd")


@contextlib.contextmanager
def _paused(operators: _Operators):
    recording, operators._recording = operators._recording, Recording()
    try:
        yield
    finally:
        operators._recording = recording


# Attributes that contain a layer's number and affect nothing else.
_PLACES = {"layer_idx", "layer_id", "layer_number", "layer_index", "idx", "block_idx", "gate"}


# Attributes that torch manages in every module.
_TORCHS = frozenset(vars(torch.nn.Module()))


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def _value(value: Any, depth: int = 0) -> Any:
    """Returns a key that is equal for equal values and for one function. Raises TypeError if
    equality cannot be decided."""
    if value is None or isinstance(value, (bool, int, float, str, torch.dtype, torch.device)):
        return type(value), value  # 1, 1.0 and True are equal
    if type(value) in (tuple, list):
        return type(value), tuple(_value(one, depth) for one in value)
    if type(value) is dict:
        return dict, tuple((_value(key), _value(one, depth)) for key, one in value.items())
    if callable(value):
        hash(value)
        return value
    # A configuration: an object of pure Python classes, whose state is its attributes.
    if depth < 4 and hasattr(value, "__dict__") and all(
            one is object or one.__flags__ & _HEAP_TYPE for one in type(value).__mro__):
        return type(value), _value(vars(value), depth + 1)
    raise TypeError


def _signature(module: torch.nn.Module, inputs: Any, wrapped: set[torch.nn.Module]) -> Optional[tuple]:
    """Returns a key that is equal for modules that do the same with inputs like these; None if that
    cannot be decided. The forward of modules in `wrapped` is tilecast's."""
    parts: list[Any] = []
    try:
        for name, one in module.named_modules():
            if one._forward_hooks or one._forward_pre_hooks:
                return None
            own = tuple(sorted((key, _value(value)) for key, value in vars(one).items()
                               if key not in _PLACES and (key == "training" or key not in _TORCHS) and
                               not (key == "forward" and one in wrapped)))
            parts.append((name, type(one), own))
        for leaf in pytree.tree_leaves(inputs):
            parts.append((tuple(leaf.shape), leaf.stride(), leaf.dtype) if isinstance(leaf, torch.Tensor) else
                         _value(leaf))
    except TypeError:
        return None
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        parts.append((name, tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.requires_grad))
    return (*parts, str(pytree.tree_structure(inputs)))


def _repeat_layers(model: torch.nn.Module, recording: Recording) -> None:
    """Gives members of module lists a forward, in their __dict__, that returns the recorded result
    of an equal member with equal inputs."""
    seen: dict[tuple, tuple[list[Operation], Any, list[Operand]]] = {}
    wrapped: set[torch.nn.Module] = set()

    def wrap(module: torch.nn.Module, path: str) -> None:
        forward = module.forward

        def call(*args, **kwargs):
            key = _signature(module, (args, kwargs), wrapped)
            recording._path.append(path)
            try:
                if key is None or key not in seen:
                    start = len(recording.operations)
                    out = forward(*args, **kwargs)
                    if key is not None:
                        seen[key] = (recording.operations[start:], out,
                                     list(map(recording.operand, _tensors((args, kwargs)))))
                    return out
                return again(*seen[key], _tensors((args, kwargs)), path)
            finally:
                recording._path.pop()

        module.forward = call
        wrapped.add(module)

    def again(operations: list[Operation], out: Any, inputs: list[Operand], given: list[torch.Tensor],
              path: str) -> Any:
        moved = {old.buffer: recording.operand(new).buffer for old, new in zip(inputs, given)}
        fresh = pytree.tree_map(
            lambda leaf: torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype, device=leaf.device)
            if isinstance(leaf, torch.Tensor) else leaf, out)
        for old, new in zip(_tensors(out), _tensors(fresh)):
            moved[recording.operand(old).buffer] = recording.operand(new).buffer
        for operation in operations:
            for one in operation.writes:
                if one.buffer not in moved:
                    moved[one.buffer] = recording.new_buffer()
                    if one.buffer in recording.given:
                        recording.given.add(moved[one.buffer])

        def replaced(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
            return tuple(dataclasses.replace(one, buffer=moved.get(one.buffer, one.buffer)) for one in operands)

        recording.operations += [
            dataclasses.replace(operation, reads=replaced(operation.reads), writes=replaced(operation.writes), at=path)
            for operation in operations]
        return fresh

    for name, module in model.named_modules():
        if isinstance(module, (torch.nn.ModuleList, torch.nn.Sequential)):
            for place, child in module.named_children():
                if "forward" not in vars(child) and any(True for _ in child.children()):
                    wrap(child, f"{name}.{place}".lstrip("."))


@contextlib.contextmanager
def _unchanged(model: Any):
    """Restores the attributes of modules on exit, and the dicts, lists and sets among them: values
    that forward stores there only have shapes."""
    kept: dict[int, tuple[Any, Any]] = {}

    def keep(container: Any) -> None:
        if id(container) in kept:
            return
        kept[id(container)] = container, container.copy()
        for one in container.values() if isinstance(container, dict) else container:
            if isinstance(one, (dict, list, set)):
                keep(one)

    for module in model.modules() if isinstance(model, torch.nn.Module) else ():
        keep(vars(module))
    try:
        yield
    finally:
        for container, content in kept.values():
            container.clear()
            (container.extend if isinstance(container, list) else container.update)(content)


@contextlib.contextmanager
def _noted(model: torch.nn.Module, recording: Recording):
    """Records calls of Linears in recording.linears."""
    starts: list[int] = []

    def leave(module: torch.nn.Module, inputs: Any, out: Any) -> None:
        recording.linears.append((module, range(starts.pop(), len(recording.operations))))

    handles = []
    for module in model.modules():
        if type(module) is torch.nn.Linear:
            handles += [module.register_forward_pre_hook(lambda *_: starts.append(len(recording.operations))),
                        module.register_forward_hook(leave)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def record(model: Any, args: tuple, kwargs: dict[str, Any], routing: str = "uniform",
           linears: bool = False) -> Recording:
    """Records a forward pass. `linears`: records the calls of Linears; otherwise equal layers run
    once. Raises ConfigError for a model whose forward needs values of tensors, not only shapes."""
    recording = Recording(routing)
    mode = fake_tensor.FakeTensorMode(allow_non_fake_inputs=True)
    # In inference mode composite operators, such as linear, would not be decomposed.
    with torch.inference_mode(False), mode, torch.no_grad():

        def fake(tree: Any) -> Any:
            made: dict[int, torch.Tensor] = {}  # tied weights stay tied

            def one(leaf: Any) -> Any:
                if not isinstance(leaf, torch.Tensor):
                    return leaf
                if id(leaf) not in made:
                    made[id(leaf)] = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype, device="cuda",
                                                         requires_grad=leaf.requires_grad)  # matmul's path depends on it
                return made[id(leaf)]

            return pytree.tree_map(one, tree)

        inputs, options = fake((args, kwargs))
        recording.given = {recording.operand(one).buffer for one in _tensors((inputs, options))}
        operators = _Operators(recording)
        try:
            with _unchanged(model), _noted(model, recording) if linears else contextlib.nullcontext():
                call = model
                if isinstance(model, torch.nn.Module):
                    state = fake({**dict(model.named_parameters(remove_duplicate=False)),
                                  **dict(model.named_buffers(remove_duplicate=False))})
                    recording.given |= {recording.operand(one).buffer for one in _tensors(state)}
                    if not linears:
                        _repeat_layers(model, recording)
                    call = lambda *args, **kwargs: torch.func.functional_call(model, state, args, kwargs)
                with operators, _Functions(recording, operators), warnings.catch_warnings():
                    warnings.filterwarnings("error", ".*CUDA is not available", UserWarning)
                    out = call(*inputs, **options)
        except fake_tensor.UnsupportedOperatorException as error:
            raise ConfigError(f"model: {error}: has no implementation on shapes alone; register one with "
                              "torch.library.register_fake") from None
        except UserWarning as warning:
            raise ConfigError("model: torch disables autocast on a machine without CUDA, so its types are not those "
                              f"of a GPU; convert the model's types instead ({warning})") from None
        except (fake_tensor.DataDependentOutputException, fake_tensor.DynamicOutputShapeException) as error:
            raise ConfigError("model: expected operations and shapes that do not depend on the values of tensors: "
                              f"{error}") from None
        except RuntimeError as error:
            if "two different devices" not in str(error):
                raise
            raise ConfigError("model: the inputs are recorded on a device \"cuda\", and another tensor is on the CPU: make "
                              "tensors of forward with device=x.device, and pass those of a closure as inputs "
                              f"({error})") from None
        recording.returned = {recording.operand(one).buffer for one in _tensors(out)}
    return recording


def _shape_text(operation: Operation) -> str:
    if operation.gemm:
        gemm = operation.gemm
        if isinstance(gemm.m, tuple):
            return f"[{len(gemm.m)} groups of {sum(gemm.m)}]x{gemm.n}x{gemm.k}"
        return f"{gemm.batch}*{gemm.m}x{gemm.n}x{gemm.k}" if gemm.batch != 1 else f"{gemm.m}x{gemm.n}x{gemm.k}"
    if operation.attention:
        return str(operation.attention)
    shapes = (operation.writes or operation.reads)[:1]
    return "x".join(map(str, shapes[0].shape)) if shapes else ""


def _addressing(operation: Operation) -> str:
    """Returns how torch's elementwise kernel addresses its operands: "" if all are contiguous in
    one order."""
    if operation.name == "cat":
        return "cat"
    if not operation.writes or operation.name in _WRITES:
        return ""
    out = operation.writes[0]

    def steps(one: Operand) -> tuple:
        """Returns strides of the dimensions with more than one element, broadcast to the
        result's."""
        padded = (0,) * (len(out.shape) - len(one.shape)) + tuple(
            step if n > 1 else 0 for n, step in zip(one.shape, one.stride))
        return tuple(step for n, step in zip(out.shape, padded) if n > 1)

    own = steps(out)
    read = [steps(one) for one in operation.reads if one.numel > 1]
    if all(one == own for one in read) and out.extent() >= out.numel:
        return ""
    order = lambda one: [i for i, step in sorted(enumerate(one), key=lambda pair: pair[1]) if step]
    full = [one for one in read if all(one)]
    return "permuted" if any(order(one) != order(own) for one in full) else "strided"


def _shown(name: str) -> str:
    return name.strip("_")


def _launch_of(operation: Operation, moved: float, **more: Any) -> Kernel:
    return Kernel(_shown(operation.name), operation.kind, _shape_text(operation), moved, gemm=operation.gemm,
                  attention=operation.attention, ours=bool(operation.ours), at=operation.at, flops=operation.flops,
                  masked=operation.masked, unit=operation.unit, **more)


def _eager(recording: Recording) -> list[Kernel]:
    kernels = []
    for operation in recording.operations:
        moved = sum(one.bytes for one in (*operation.reads, *operation.writes))
        elements = operation.writes[0].numel if operation.writes else sum(one.numel for one in operation.reads[:1])
        kernels.append(_launch_of(operation, moved, elements=elements, row=operation.row, strided=(
            _addressing(operation) if operation.kind == "pointwise" else "")))
    return kernels


ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu")
_GATES = {"silu": "swiglu", "gelu": "geglu"}


def gate_of(product: Operation, readers: list[Operation], readers_of: dict[int, list[int]]) -> Optional[tuple[str, bool]]:
    """Returns the gate that `readers`, all consumers of the GEMM, compute from halves of its
    columns, and whether the gate's columns come first."""
    if len(readers) != 2:
        return None
    activated, multiplied = sorted(readers, key=lambda one: one.name == "mul")
    up = [one for one in multiplied.reads if one.buffer == product.writes[0].buffer]
    half, columns = product.writes[0].numel // 2, product.gemm.n // 2
    if (activated.name not in _GATES or multiplied.name != "mul" or len(up) != 1 or len(multiplied.reads) != 2 or
            activated.writes[0].buffer not in {one.buffer for one in multiplied.reads} or
            len(readers_of[activated.writes[0].buffer]) != 1 or activated.reads[0].numel != half or
            up[0].numel != half or {activated.reads[0].offset, up[0].offset} != {0, columns}):
        return None
    return _GATES[activated.name], activated.reads[0].offset == 0


def pair_of(place: int, operations: list[Operation], by_buffer: dict[int, list[int]]) -> Optional[tuple[int, int, int]]:
    """Returns the indices of this GEMM's activation, of the GEMM of the same input that it
    gates, and of their GEMM."""
    gate = operations[place]

    def reader(one: Operation) -> Optional[int]:
        found = by_buffer.get(one.writes[0].buffer, [])
        return found[0] if len(found) == 1 and operations[found[0]].reads[0].numel == one.writes[0].numel else None

    activated = reader(gate)
    multiplied = reader(operations[activated]) if activated and operations[activated].name in _GATES else None
    if multiplied is None or operations[multiplied].name != "mul":
        return None
    for up in range(multiplied):
        if (operations[up].gemm == gate.gemm and up != place and operations[up].reads[0] == gate.reads[0] and
                reader(operations[up]) == multiplied):
            return activated, up, multiplied
    return None


def joined(place: int, pair: tuple[int, int, int], operations: list[Optional[Operation]], **more: Any) -> None:
    """Replaces the GEMMs of a pair, and the operations between them, by one GEMM of tilecast."""
    activated, up, multiplied = pair
    gemm = operations[place].gemm
    made = dataclasses.replace(
        operations[place], gemm=dataclasses.replace(gemm, n=2 * gemm.n, epilogue=_GATES[operations[activated].name]),
        reads=(*operations[place].reads, operations[up].reads[-1]), writes=operations[multiplied].writes, ours="matmul",
        **more)
    for one in (place, *pair):
        operations[one] = None
    operations[multiplied] = made


def readers_of(operations: Iterable[Optional[Operation]]) -> dict[int, list[int]]:
    """Returns the indices of the operations that read a buffer."""
    found: dict[int, list[int]] = {}
    for place, operation in enumerate(operations):
        for buffer in {one.buffer for one in operation.reads} if operation else ():
            found.setdefault(buffer, []).append(place)
    return found


def _taken_in(product: Operation, readers: list[Operation], by_buffer: dict[int, list[int]]) -> tuple[str, list[Operand]]:
    """Returns the epilogue step that our GEMM can fuse from its consumers ("" if none), and that
    step's extra operands."""
    steps = product.gemm.epilogue.split("+")
    out, activated = product.writes[0], any(step in (*ACTIVATIONS, *_GATES.values()) for step in steps)
    if product.ours == "gate_up" and not activated:
        found = gate_of(product, readers, by_buffer)
        return (found[0] if found else ""), []
    if len(readers) != 1 or "residual" in steps or set(steps) & set(_GATES.values()):
        return "", []
    reader, = readers
    if reader.name in ACTIVATIONS and not activated and reader.reads[0].numel == out.numel:
        return reader.name, []
    others = [one for one in reader.reads if one.buffer != out.buffer]
    if (reader.name == "add" and len(others) == 1 and len(reader.reads) == 2 and
            all((one.numel, one.itemsize) == (out.numel, out.itemsize) for one in (*reader.reads, *reader.writes))):
        return "residual", others
    return "", []


def fused(recording: Recording) -> list[Operation]:
    """Returns the operations after the pass of `_fusion`: our GEMMs fuse an activation, a gate
    and an addition."""
    operations: list[Optional[Operation]] = list(recording.operations)
    by_buffer = readers_of(recording.operations)
    for place, product in enumerate(recording.operations):
        while product and product.ours and product.writes[0].buffer not in recording.returned:
            places = by_buffer.get(product.writes[0].buffer, [])
            step, reads = _taken_in(product, [operations[one] for one in places], by_buffer)
            if not step:
                break
            steps = [one for one in product.gemm.epilogue.split("+") if one != "none"] + [step]
            product = dataclasses.replace(product, gemm=dataclasses.replace(product.gemm, epilogue="+".join(steps)),
                                          reads=(*product.reads, *reads), writes=operations[places[-1]].writes)
            for one in (place, *places):
                operations[one] = None
            place = places[-1]
            operations[place] = product
    return [one for one in operations if one is not None]


def _read_bytes(operands: Iterable[Operand]) -> float:
    """Returns the bytes that a kernel reads through these operands, several of which may cover one
    part of a buffer."""
    total = 0.0
    by_buffer: dict[int, list[Operand]] = {}
    for one in set(operands):
        by_buffer.setdefault(one.buffer, []).append(one)
    for parts in by_buffer.values():
        covered: list[tuple[int, int]] = []
        for one in sorted(parts, key=lambda part: -part.bytes):
            if not any(begin <= one.offset < end for begin, end in covered):
                total += one.bytes
                covered.append((one.offset, one.offset + one.extent()))
    return total


@dataclasses.dataclass
class _Value:
    """A result that is not in memory: the operands that a kernel reads to compute it."""

    names: list[str]
    reads: list[Operand]
    numel: int
    row: int
    at: str
    out: Operand


def _compiled(recording: Recording) -> list[Kernel]:
    """Returns the kernels that Inductor would make, by a rule. GEMMs and attention are separate
    launches. Pointwise operations, copies and reductions are computed inside each kernel that needs
    them. A result is written to memory if a launch reads it, if it is returned, or if it has
    several consumers and is computed from more than 4 buffers; so are results in buffers that the
    model was given (in-place writes). Kernels over equally many elements that read a common buffer
    are merged."""
    operations = fused(recording)
    readers = readers_of(operations)
    pending: dict[int, _Value] = {}
    kernels: list[Kernel] = []

    def write(values: list[_Value]) -> None:
        """Writes one kernel for each group that can be fused."""
        groups: list[list[_Value]] = []
        for value in values:
            buffers = {one.buffer for one in value.reads}
            for group in groups:
                if group[0].numel == value.numel and buffers & {one.buffer for other in group for one in other.reads}:
                    group.append(value)
                    break
            else:
                groups.append([value])
        for group in groups:
            names = list(dict.fromkeys(name for value in group for name in value.names))
            moved = _read_bytes(one for value in group for one in value.reads) + sum(value.out.bytes for value in group)
            row = max(value.row for value in group)
            kernels.append(Kernel("+".join(names[:4]) + ("+..." if len(names) > 4 else ""),
                                  "reduction" if row else "pointwise", "x".join(map(str, group[0].out.shape)), moved,
                                  group[0].numel, "", row, True, at=group[0].at))

    def in_memory(operands: Iterable[Operand]) -> None:
        buffers = dict.fromkeys(one.buffer for one in operands)
        write([pending.pop(buffer) for buffer in buffers if buffer in pending])

    for operation in operations:
        if operation.kind in ("gemm", "attention", "unknown"):
            in_memory(operation.reads)
            moved = sum(one.bytes for one in (*operation.reads, *operation.writes))
            kernels.append(_launch_of(operation, moved))
            continue
        if not operation.writes:  # in-place operation
            in_memory(operation.reads)
            kernels.append(Kernel(_shown(operation.name), "pointwise", _shape_text(operation),
                                  sum(one.bytes for one in operation.reads), fused=True, at=operation.at))
            continue
        out = operation.writes[0]
        if out.buffer in recording.given and out.buffer in pending and pending[out.buffer].out != out:
            in_memory([out])  # another part of the same buffer
        value = _Value([_shown(operation.name)], [], out.numel, operation.row, operation.at, out)
        if operation.kind == "reduction" and operation.reads:
            value.numel = max(out.numel, operation.reads[0].numel)
        for one in operation.reads:
            inner = pending.get(one.buffer)
            if inner is None:
                value.reads.append(one)
            else:
                value.names = [*inner.names, *(name for name in value.names if name not in inner.names)]
                value.reads += inner.reads
                value.row = max(value.row, inner.row)
                value.numel = max(value.numel, inner.numel if inner.row else 0)
        pending[out.buffer] = value
        if len({one.buffer for one in value.reads}) > _MOST_READS and len(readers.get(out.buffer, [])) > 1:
            in_memory([out])
    write([value for buffer, value in pending.items() if buffer in recording.returned | recording.given])
    return kernels


def kernels_of(recording: Recording, mode: str) -> list[Kernel]:
    return _eager(recording) if mode == "eager" else _compiled(recording)
