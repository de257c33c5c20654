"""Binds libtilecast (include/tilecast/tilecast.h) with ctypes: plans, which are cached, and their runs.

Uses the library named by TILECAST_LIBRARY, else the one in this package, else the system's. It is
loaded with the first plan; everything else in the package works without it.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import pathlib
from typing import Any, NamedTuple, Optional, Union

from . import _native
from ._model import ConfigError, Error, FileError, config_folder

FP16, BF16, FP32 = 1, 2, 5
TN, NN, NT, TT = 0, 1, 2, 3
NO_BIAS, BIAS_M, BIAS_N = 0, 1, 2
_WORDS = _native.activations()  # in the order of tilecast_activation
ACTIVATIONS = {None: 0} | {word: number for number, (word, _) in enumerate(_WORDS, 1)}
# these halve the columns of C
GATES = tuple(ACTIVATIONS[word] for word, columns in _WORDS if columns == 2)
_INVALID, _UNSUPPORTED, _FILE = 1, 2, 7  # tilecast_status


class _Problem(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("m", ctypes.c_int64), ("n", ctypes.c_int64),
                ("k", ctypes.c_int64), ("type", ctypes.c_int32), ("type_c", ctypes.c_int32),
                ("layout", ctypes.c_int32), ("epilogue", ctypes.c_int32), ("lda", ctypes.c_int64),
                ("ldb", ctypes.c_int64), ("ldc", ctypes.c_int64), ("batch", ctypes.c_int64),
                ("bias", ctypes.c_int32), ("activation", ctypes.c_int32),
                ("stride_a", ctypes.c_int64), ("stride_b", ctypes.c_int64),
                ("stride_c", ctypes.c_int64), ("scales", ctypes.c_int32),
                ("group_side", ctypes.c_int32), ("ld_scale_a", ctypes.c_int64),
                ("ld_scale_b", ctypes.c_int64), ("groups", ctypes.c_int64),
                ("group_capacity", ctypes.c_int64), ("expected_rows", ctypes.c_void_p),
                ("residual", ctypes.c_int32), ("amax", ctypes.c_int32), ("scale_c", ctypes.c_int32),
                ("accumulate", ctypes.c_int32), ("ld_residual", ctypes.c_int64),
                ("stride_residual", ctypes.c_int64)]


class _Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("gpu", ctypes.c_char_p),
                ("config", ctypes.c_char_p), ("config_dir", ctypes.c_char_p),
                ("cache_dir", ctypes.c_char_p), ("regime", ctypes.c_int32),
                ("threads", ctypes.c_int32), ("no_calibration", ctypes.c_int32),
                ("programmatic", ctypes.c_int32), ("check_groups", ctypes.c_int32),
                ("reserved", ctypes.c_int32)]


class _Forecast(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("config", ctypes.c_char * 256),
                ("time_us", ctypes.c_double), ("interval_low_us", ctypes.c_double),
                ("interval_high_us", ctypes.c_double), ("tflops", ctypes.c_double),
                ("cycles", ctypes.c_double), ("sm_clock_mhz", ctypes.c_double),
                ("power_w", ctypes.c_double), ("limiter", ctypes.c_char * 16),
                ("simulated", ctypes.c_int32), ("extrapolated", ctypes.c_int32)]


class _Arguments(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("a", ctypes.c_void_p), ("b", ctypes.c_void_p),
                ("c", ctypes.c_void_p), ("alpha", ctypes.c_float), ("beta", ctypes.c_float),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t),
                ("bias", ctypes.c_void_p), ("scale_a", ctypes.c_void_p),
                ("scale_b", ctypes.c_void_p), ("group_rows", ctypes.c_void_p),
                ("residual", ctypes.c_void_p), ("scale_c", ctypes.c_void_p),
                ("amax", ctypes.c_void_p)]


class _Strides(ctypes.Structure):
    _fields_ = [("batch", ctypes.c_int64), ("head", ctypes.c_int64), ("row", ctypes.c_int64)]


class _Attention(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("batch", ctypes.c_int64), ("heads", ctypes.c_int64),
                ("kv_heads", ctypes.c_int64), ("queries", ctypes.c_int64), ("keys", ctypes.c_int64),
                ("head_dim", ctypes.c_int64), ("type", ctypes.c_int32), ("mask", ctypes.c_int32),
                ("layout", ctypes.c_int32), ("lse", ctypes.c_int32), ("q", _Strides), ("k", _Strides),
                ("v", _Strides), ("o", _Strides)]


class _AttentionArguments(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("q", ctypes.c_void_p), ("k", ctypes.c_void_p),
                ("v", ctypes.c_void_p), ("o", ctypes.c_void_p), ("lse", ctypes.c_void_p),
                ("scale", ctypes.c_float), ("reserved", ctypes.c_int32), ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_size_t)]


_ARGUMENTS_SIZE = ctypes.sizeof(_Arguments)
_ATTENTION_ARGUMENTS_SIZE = ctypes.sizeof(_AttentionArguments)


@functools.cache
def library() -> ctypes.CDLL:
    """Loads the library; raises FileError if there is none."""
    named = os.environ.get("TILECAST_LIBRARY")
    beside = pathlib.Path(__file__).parent / "libtilecast.so"
    path = named or (str(beside) if beside.exists() else "libtilecast.so.0")
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise FileError(f"libtilecast: {error}; set TILECAST_LIBRARY to its path") from None
    pointer = ctypes.c_void_p
    loaded.tilecast_error_text.restype = ctypes.c_char_p
    loaded.tilecast_plan_create.argtypes = [ctypes.POINTER(_Problem), ctypes.POINTER(_Options),
                                            ctypes.POINTER(pointer)]
    loaded.tilecast_attention_plan_create.argtypes = [ctypes.POINTER(_Attention), ctypes.POINTER(_Options),
                                                      ctypes.POINTER(pointer)]
    loaded.tilecast_attention_run.argtypes = [pointer, pointer, pointer]
    loaded.tilecast_predict.argtypes = [ctypes.POINTER(_Problem), ctypes.POINTER(_Options),
                                        ctypes.POINTER(_Forecast), ctypes.POINTER(ctypes.c_size_t)]
    loaded.tilecast_plan_forecast.argtypes = [pointer, ctypes.POINTER(_Forecast)]
    loaded.tilecast_plan_workspace.argtypes = [pointer, ctypes.POINTER(ctypes.c_size_t)]
    loaded.tilecast_plan_clear_workspace.argtypes = [pointer, pointer, ctypes.c_size_t, pointer]
    loaded.tilecast_plan_run.argtypes = [pointer, pointer, pointer]
    loaded.tilecast_plan_destroy.argtypes = [pointer]
    loaded.tilecast_plan_destroy.restype = None
    return loaded


def _programmatic() -> int:
    value = os.environ.get("TILECAST_PROGRAMMATIC", str(int(programmatic)))
    if value not in ("0", "1"):
        raise ConfigError(f"TILECAST_PROGRAMMATIC: expected 0 or 1, got {value!r}")
    return int(value)


@functools.cache
def _driver() -> Optional[ctypes.CDLL]:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def current_device() -> int:
    """Returns the device ordinal of this thread; 0 if it has none yet, as in the CUDA runtime."""
    driver, ordinal = _driver(), ctypes.c_int()
    if driver is None or driver.cuCtxGetDevice(ctypes.byref(ordinal)):
        return 0
    return ordinal.value


def capture_of(stream: int) -> Optional[int]:
    """Returns a unique number of the capture that records the stream's work."""
    driver, status, number = _driver(), ctypes.c_int(), ctypes.c_uint64()
    if (driver is None or
            driver.cuStreamGetCaptureInfo_v2(ctypes.c_void_p(stream), ctypes.byref(status),
                                             ctypes.byref(number), None, None, None) or
            status.value == 0):
        return None
    return number.value


def addresses() -> tuple[int, int, int]:
    """Returns addresses of tilecast_plan_run, cuCtxGetDevice and cuStreamIsCapturing, if there is a
    driver."""
    driver = _driver()
    return tuple(ctypes.cast(one, ctypes.c_void_p).value for one in (
        library().tilecast_plan_run, driver.cuCtxGetDevice, driver.cuStreamIsCapturing))


def _check(status: int) -> None:
    if status:
        text = library().tilecast_error_text().decode(errors="replace")
        kind = {_INVALID: ConfigError, _UNSUPPORTED: ConfigError, _FILE: FileError}.get(status, Error)
        raise kind(text)


class Shape(NamedTuple):
    """The key of a plan: sizes, FP16 or BF16, TN to TT, row strides in elements (0 if packed), NO_BIAS, BIAS_M or
    BIAS_N, a value of ACTIVATIONS, number of groups (0: none), their capacity if masked, C's type (0: that of
    A and B; FP32), 1 if a residual is added, whether groups divide K instead of M."""

    m: int
    n: int
    k: int
    type: int
    layout: int
    lda: int = 0
    ldb: int = 0
    bias: int = NO_BIAS
    activation: int = 0
    groups: int = 0
    capacity: int = 0
    type_c: int = 0
    residual: int = 0
    along_k: bool = False


class AttentionShape(NamedTuple):
    """The key of an attention plan: counts, FP16 or BF16, and each tensor's strides of batch, head and row in elements
    (0 for a dimension of one element)."""

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    head_dim: int
    type: int
    causal: bool
    lse: bool
    q: tuple[int, ...]
    k: tuple[int, ...]
    v: tuple[int, ...]
    o: tuple[int, ...] = (0, 0, 0)


def _options(gpu: Optional[str], config: Optional[str], sustained: bool, programmatic: int = 0) -> _Options:
    return _Options(struct_size=ctypes.sizeof(_Options), gpu=gpu and gpu.encode(), config=config and config.encode(),
                    config_dir=config_folder().encode(), regime=int(sustained), programmatic=programmatic)


class AnyPlan:
    """The predicted fastest kernel, ready on the current device; or, if `gpu` names a GPU that is
    absent, only its forecast. Thread-safe."""

    def __init__(self, create: str, problem: ctypes.Structure, gpu: Optional[str], config: Optional[str],
                 sustained: bool, programmatic: int):
        self._library = library()
        self._handle = ctypes.c_void_p()
        options = _options(gpu, config, sustained, programmatic)
        _check(getattr(self._library, create)(ctypes.byref(problem), ctypes.byref(options),
                                              ctypes.byref(self._handle)))
        size = ctypes.c_size_t()
        _check(self._library.tilecast_plan_workspace(self._handle, ctypes.byref(size)))
        self.workspace_bytes: int = size.value
        self.workspaces: dict[Any, Any] = {}  # used by _matmul.py

    @property
    def handle(self) -> int:
        """Returns the tilecast_plan*, valid as long as the object lives."""
        return self._handle.value

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.tilecast_plan_destroy(self._handle)

    def forecast(self) -> tuple[str, float]:
        """Returns configuration and microseconds."""
        row = _Forecast(struct_size=ctypes.sizeof(_Forecast))
        _check(self._library.tilecast_plan_forecast(self._handle, ctypes.byref(row)))
        return row.config.decode(), row.time_us

    def clear(self, workspace: int, stream: int) -> None:
        _check(self._library.tilecast_plan_clear_workspace(self._handle, workspace,
                                                           self.workspace_bytes, stream))


def _problem_of(shape: Shape) -> _Problem:
    return _Problem(struct_size=ctypes.sizeof(_Problem), m=shape.m, n=shape.n, k=shape.k, type=shape.type,
                    layout=shape.layout, lda=shape.lda, ldb=shape.ldb, bias=shape.bias, activation=shape.activation,
                    groups=shape.groups, group_capacity=shape.capacity, type_c=shape.type_c, residual=shape.residual,
                    group_side=int(shape.along_k))


class Plan(AnyPlan):
    """Plan of a GEMM. Runs use programmatic launches (docs/cpp.md) if TILECAST_PROGRAMMATIC is 1 or, where it is not
    set, if the module's `programmatic` is True."""

    def __init__(self, shape: Shape, *, gpu: Optional[str] = None, config: Optional[str] = None,
                 sustained: bool = False):
        super().__init__("tilecast_plan_create", _problem_of(shape), gpu, config, sustained, _programmatic())
        self._run = self._library.tilecast_plan_run

    def run(self, a: int, b: int, c: int, stream: int, workspace: int = 0,
            bias: Optional[int] = None, group_rows: Optional[int] = None,
            residual: Optional[int] = None) -> None:
        """Launches the kernel on the stream; arguments are device addresses."""
        status = self._run(self._handle,
                           ctypes.byref(_Arguments(_ARGUMENTS_SIZE, a, b, c, 1.0, 0.0, workspace,
                                                   self.workspace_bytes, bias, None, None, group_rows,
                                                   residual, None, None)),
                           stream)
        if status:
            _check(status)


class AttentionPlan(AnyPlan):
    def __init__(self, shape: AttentionShape, *, gpu: Optional[str] = None, config: Optional[str] = None,
                 sustained: bool = False):
        problem = _Attention(struct_size=ctypes.sizeof(_Attention), batch=shape.batch, heads=shape.heads,
                             kv_heads=shape.kv_heads, queries=shape.queries, keys=shape.keys,
                             head_dim=shape.head_dim, type=shape.type, mask=int(shape.causal), lse=int(shape.lse),
                             q=shape.q, k=shape.k, v=shape.v, o=shape.o)
        super().__init__("tilecast_attention_plan_create", problem, gpu, config, sustained, 0)
        self._run = self._library.tilecast_attention_run

    def run(self, q: int, k: int, v: int, o: int, stream: int, scale: float, lse: Optional[int] = None,
            workspace: int = 0) -> None:
        """Launches the kernel on the stream; arguments are device addresses, and 0 the default scale."""
        status = self._run(self._handle,
                           ctypes.byref(_AttentionArguments(_ATTENTION_ARGUMENTS_SIZE, q, k, v, o, lse, scale, 0,
                                                            workspace, self.workspace_bytes)),
                           stream)
        if status:
            _check(status)


AnyShape = Union[Shape, AttentionShape]


# Regime of later GEMM plans, and whether they are launched programmatically; set by tilecast.torch.accelerate.
sustained, programmatic = False, False

# Time of the memset node that clears a workspace in a CUDA graph, and of the gap after it, on an
# H200: 1.06 and 1.24 us in two profiles of decoder layers, and 0.3 us.
_CLEARING_US = 1.4
_SPLIT_K = ("split_k:", "stream_k:", "stream_k_hybrid:")  # schedules whose partial sums need a cleared workspace


def fastest_with_clearing(shape: Shape, gpu: Optional[str] = None) -> str:
    """Returns the predicted fastest configuration if each run clears its workspace first."""
    rows = (_Forecast * 64)()
    rows[0].struct_size, count = ctypes.sizeof(_Forecast), ctypes.c_size_t(len(rows))
    _check(library().tilecast_predict(ctypes.byref(_problem_of(shape)), ctypes.byref(_options(gpu, None, sustained)),
                                      rows, ctypes.byref(count)))
    found = [(row.time_us, row.config.decode()) for row in rows[:count.value]]
    return min(found, key=lambda one: one[0] + _CLEARING_US * one[1].startswith(_SPLIT_K))[1]


def plan_of(shape: AnyShape, keeps_memory: bool = True) -> AnyPlan:
    """Makes a plan. `keeps_memory`: its workspace is cleared once, not before each run."""
    if isinstance(shape, AttentionShape):
        return AttentionPlan(shape)
    if keeps_memory:
        return Plan(shape, sustained=sustained)
    return Plan(shape, config=fastest_with_clearing(shape), sustained=sustained)


class _DlTensor(ctypes.Structure):  # dlpack.h
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_CUDA_DEVICES = (2, 13)  # kDLCUDA, kDLCUDAManaged
_TYPES = {(2, 16, 1): FP16, (4, 16, 1): BF16}  # kDLFloat, kDLBfloat
_TYPES_OF_C = _TYPES | {(2, 32, 1): FP32}


class View(NamedTuple):
    """A tensor in device memory. `owner` keeps the memory alive."""

    data: int
    sides: tuple[int, ...]
    strides: tuple[int, ...]
    type: int
    device: int
    owner: Any


def view(name: str, tensor: Any, stream: int, types: dict = _TYPES) -> View:
    """Makes a View from anything with `__dlpack__`; raises ConfigError unless it is a CUDA tensor of
    one of the types."""
    if not hasattr(tensor, "__dlpack__"):
        raise ConfigError(f"{name}: expected a tensor that implements __dlpack__, got {type(tensor).__name__}")
    if tensor.__dlpack_device__()[0] not in _CUDA_DEVICES:
        raise ConfigError(f"{name}: expected a CUDA tensor")
    capsule = tensor.__dlpack__(stream=stream or None)
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    seen = _DlTensor.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor"))
    kind = types.get((seen.code, seen.bits, seen.lanes))
    if kind is None:
        raise ConfigError(f"{name}: expected dtype fp16{', bf16 or fp32' if types is _TYPES_OF_C else ' or bf16'}")
    sides = tuple(seen.shape[:seen.ndim])
    packed = tuple(math.prod(sides[i + 1:]) for i in range(seen.ndim))
    strides = tuple(seen.strides[:seen.ndim]) if seen.strides else packed
    return View((seen.data or 0) + seen.byte_offset, sides, strides, kind, seen.device_id, capsule)


class Matrix(NamedTuple):
    """A matrix in device memory. `owner` keeps the memory alive."""

    data: int
    rows: int
    columns: int
    row_stride: int
    column_stride: int
    type: int
    device: int
    owner: Any


def matrix(name: str, tensor: Any, stream: int, vector: bool = False, of_c: bool = False) -> Matrix:
    """Makes a Matrix from anything with `__dlpack__`; raises ConfigError unless it is a CUDA matrix
    of fp16 or bf16, or with `of_c` fp32. `vector`: one dimension is a row."""
    seen = view(name, tensor, stream, _TYPES_OF_C if of_c else _TYPES)
    if len(seen.sides) != 2 and not (vector and len(seen.sides) == 1):
        raise ConfigError(f"{name}: expected a matrix, got {len(seen.sides)} dimensions")
    rows, columns = seen.sides if len(seen.sides) == 2 else (1, *seen.sides)
    strides = seen.strides if len(seen.sides) == 2 else (columns, *seen.strides)
    return Matrix(seen.data, rows, columns, *strides, seen.type, seen.device, seen.owner)


def bias_kind(m: int, n: int, side: tuple, strides: tuple) -> int:
    """Returns the kind of a bias with these sizes, added to [m,n] as in torch.addmm."""
    if len(side) == 1:
        side, strides = (1, *side), (side[0], *strides)
    if side == (1, n) and (strides[1] == 1 or n == 1):
        return BIAS_N
    if side == (m, 1) and (strides[0] == 1 or m == 1):
        return BIAS_M
    raise ConfigError(f"bias: expected a contiguous tensor of shape [{n}], [1,{n}] or [{m},1], got {list(side)}")


def activation_of(word: Optional[str]) -> int:
    """Returns the value for an activation's word."""
    if word not in ACTIVATIONS:
        known = ", ".join(str(one) for one in ACTIVATIONS)
        raise ConfigError(f"activation: expected one of {known}, got {word!r}")
    return ACTIVATIONS[word]


def columns_of_c(n: int, activation: Optional[str]) -> int:
    """Returns the number of columns of C for `n` columns of A B: a gated activation halves it."""
    if activation_of(activation) not in GATES:
        return n
    if n % 2:
        raise ConfigError(f"activation {activation}: a gated activation requires an even N, got {n}")
    return n // 2


def shape_of(m: int, n: int, k: int, kind: int, a_strides: tuple[int, int],
             b_strides: tuple[int, int], bias: int = NO_BIAS, activation: int = 0,
             type_c: int = 0, residual: int = 0) -> Shape:
    """Returns the problem with the layout of A [m,k] and B [k,n]; raises ConfigError if no layout
    has their strides."""
    a_along_k, lda = _rows("a", m, k, a_strides)
    b_along_k, ldb = _rows("b", n, k, b_strides[::-1])
    layout = (TN if b_along_k else NN) if a_along_k else (TT if b_along_k else NT)
    return Shape(m, n, k, kind, layout, lda, ldb, bias, activation,
                 type_c=0 if type_c == kind else type_c, residual=residual)


def _rows(name: str, side: int, k: int, strides: tuple[int, int]) -> tuple[bool, int]:
    """Returns, for an operand as [side,k], whether its rows in memory run along K rather than
    `side`, and the row stride in elements, 0 if packed."""
    # The stride of a dimension of one element is never used.
    if any(stride == 0 and length > 1 for stride, length in zip(strides, (side, k))):
        raise ConfigError(f"{name}: expanded tensors are not supported; {name}.contiguous() makes a copy")
    if strides[1] == 1 or k == 1:
        return True, 0 if strides[0] == k or side == 1 else strides[0]
    if strides[0] == 1 or side == 1:
        return False, 0 if strides[1] == side else strides[1]
    raise ConfigError(f"{name}: expected a stride of 1 along rows or columns, got strides {tuple(strides)}")
