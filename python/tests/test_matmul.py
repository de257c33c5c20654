"""Tests tilecast.matmul without a GPU: its errors, its caches, and plans for a named GPU.
test_torch.py tests it on a GPU."""

import contextlib
import functools
import os
import sys
import types
from typing import NamedTuple

import pytest
import tilecast
from claimed_tensor import ClaimedTensor
from tilecast import _library, _matmul

try:
    _library.library()
    HAS_LIBRARY = True
except tilecast.FileError:
    HAS_LIBRARY = False
needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="no libtilecast; TILECAST_LIBRARY names one")

Producer = functools.partial(ClaimedTensor, byte_offset=32)


def test_a_dlpack_tensor_is_read():
    found = _library.matrix("a", Producer(128, 64, strides=(72, 1)), 0)
    assert found[:7] == (4096 + 32, 128, 64, 72, 1, _library.FP16, 0)
    assert _library.matrix("a", Producer(128, 64, code=4), 0)[3:6] == (64, 1, _library.BF16)


@pytest.mark.parametrize("a, b, words", [
    (Producer(64, 64), object(), "b: expected a tensor"),
    (Producer(64, 64, device=1), Producer(64, 64), "a: expected a CUDA tensor"),
    (Producer(64, 64, bits=32), Producer(64, 64), "a: expected dtype fp16 or bf16"),
    (Producer(64, 64), Producer(64, 64), "out: must be given"),
])
def test_what_is_no_matrix_of_the_gpu_is_refused(a, b, words):
    with pytest.raises(tilecast.ConfigError, match=words):
        tilecast.matmul(a, b)


@pytest.mark.parametrize("a, b, out, words", [
    (Producer(64, 32), Producer(64, 64), Producer(64, 64), "a has 32 columns, but b has 64 rows"),
    (Producer(64, 64), Producer(64, 64, code=4), Producer(64, 64), "the same dtype"),
    (Producer(64, 64), Producer(64, 32), Producer(64, 64), "out: expected"),
    (Producer(64, 64), Producer(64, 64), Producer(64, 64, strides=(1, 64)), "contiguous"),
    (Producer(64, 64, strides=(128, 2)), Producer(64, 64), Producer(64, 64), "a: expected a stride of 1"),
    (Producer(64, 64), Producer(64, 64, strides=(128, 2)), Producer(64, 64), "b: expected a stride of 1"),
])
def test_matrices_that_do_not_go_together_are_refused(a, b, out, words):
    with pytest.raises(tilecast.ConfigError, match=words):
        tilecast.matmul(a, b, out)


class FakePlan:
    """Runs nothing and records the arguments."""

    def __init__(self, shape, workspace_bytes=0):
        self.shape, self.workspace_bytes, self.workspaces = shape, workspace_bytes, {}
        self.runs, self.cleared = [], []

    def clear(self, *arguments):
        self.cleared.append(arguments)

    def run(self, *arguments, residual=None):
        self.runs.append(arguments)
        self.residual = residual


@pytest.fixture
def plans(monkeypatch):
    """Makes plans with given workspace sizes, on a machine without a GPU."""
    made = []

    def make(shape, config=None, sustained=False):
        made.append(FakePlan(shape, made_bytes[0]))
        return made[-1]

    made_bytes = [0]
    monkeypatch.setattr(_library, "Plan", make)
    monkeypatch.setattr(_library, "fastest_with_clearing", lambda shape: "")
    # a driver would dereference the stream
    monkeypatch.setattr(_library, "capture_of", lambda stream: None)
    for cache in (_matmul._plan, _matmul._torch_plan):
        cache.cache_clear()
    yield types.SimpleNamespace(made=made, bytes=made_bytes)
    for cache in (_matmul._plan, _matmul._torch_plan):
        cache.cache_clear()
    _matmul._captured.clear()


def test_matrices_of_another_device_than_the_current_one_are_refused(plans, monkeypatch):
    a = Producer(64, 64)  # on device 0
    monkeypatch.setattr(_library, "current_device", lambda: 1)
    with pytest.raises(tilecast.ConfigError, match="on device 0, but device 1 is current"):
        tilecast.matmul(a, a, a)
    assert not plans.made
    monkeypatch.setattr(_library, "current_device", lambda: 0)
    tilecast.matmul(a, a, a)
    tilecast.matmul(a, a, a)
    assert len(plans.made) == 1 and len(plans.made[0].runs) == 2
    # The check also applies to a cached plan.
    monkeypatch.setattr(_library, "current_device", lambda: 1)
    with pytest.raises(tilecast.ConfigError, match="device 1"):
        tilecast.matmul(a, a, a)


def test_plans_of_captured_calls_are_kept(plans, monkeypatch):
    a = Producer(64, 64)
    tilecast.matmul(a, a, a, stream=16)
    assert not _matmul._captured
    monkeypatch.setattr(_library, "capture_of", lambda stream: 1 if stream == 32 else None)
    tilecast.matmul(a, a, a, stream=32)
    assert _matmul._captured == set(plans.made)


class FakeDevice(NamedTuple):
    type: str
    index: int


class FakeTensor:
    def __init__(self, rows, columns, requires_grad=False):
        self.shape, self.requires_grad = (rows, columns), requires_grad
        self.dtype, self.device = "fp16", FakeDevice("cuda", 0)

    def stride(self):
        return (self.shape[1], 1)

    def data_ptr(self):
        return 4096

    def is_contiguous(self):
        return True

    def new_empty(self, shape):
        return FakeTensor(*shape)


class FakeTorch(types.ModuleType):
    """The part of torch that _matmul uses: one device and a current stream."""

    Tensor, float16, bfloat16, float32, uint8 = FakeTensor, "fp16", "bf16", "fp32", "uint8"

    def __init__(self):
        super().__init__("torch")
        self.stream, self.grad, self.allocated_on = 7, True, []
        self._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: self.stream,
                                        _cuda_getDevice=lambda: 0)
        self.cuda = types.SimpleNamespace(
            device=lambda index: contextlib.nullcontext(), stream=self.enter,
            default_stream=lambda index: 0, ExternalStream=lambda stream, device: stream)

    @contextlib.contextmanager
    def enter(self, stream):
        before, self.stream = self.stream, stream
        yield
        self.stream = before

    def is_grad_enabled(self):
        return self.grad

    def empty(self, size, dtype, device):
        self.allocated_on.append(self.stream)
        return FakeTensor(1, size)


@pytest.fixture
def torch(monkeypatch):
    fake = FakeTorch()
    monkeypatch.setitem(sys.modules, "torch", fake)
    return fake


@pytest.mark.parametrize("which", [0, 1, 2])
def test_what_requires_grad_is_refused_where_grad_is_on(plans, torch, which):
    tensors = [FakeTensor(64, 64, requires_grad=i == which) for i in range(3)]
    with pytest.raises(tilecast.ConfigError, match="tilecast.torch.matmul"):
        tilecast.matmul(*tensors)
    torch.grad = False
    assert tilecast.matmul(*tensors) is tensors[2]


def test_memory_comes_from_the_stream_of_the_call(plans, torch, monkeypatch):
    plans.bytes[0] = 256
    a = FakeTensor(64, 64)
    tilecast.matmul(a, a)
    tilecast.matmul(a, a, stream=48)
    tilecast.matmul(a, a, stream=48)
    tilecast.matmul(a, a, stream=0)
    (plan,) = plans.made
    assert torch.allocated_on == [7, 48, 0]
    assert [one[3] for one in plan.runs] == [7, 48, 48, 0] and torch.stream == 7
    # Capture is checked on that stream, and all calls of one capture share a workspace.
    assert not _matmul._captured and len(plan.cleared) == 3
    for capture in (1, 2):
        monkeypatch.setattr(_library, "capture_of", lambda stream: capture if stream == 48 else None)
        for _ in range(3):
            tilecast.matmul(a, a, stream=48)
    assert torch.allocated_on == [7, 48, 0, 48, 48] and _matmul._captured == {plan}
    assert len(plan.cleared) == 5


def test_the_operators_workspace_is_of_one_call(plans, torch):
    plans.bytes[0] = 256
    a = FakeTensor(64, 64)
    for _ in range(2):
        _matmul._torch_matmul(torch, a, a, None, None, keeps_memory=False)
    (plan,) = plans.made
    assert len(plan.cleared) == len(plan.runs) == 2 and not plan.workspaces
    assert [one[4] for one in plan.runs] == [one[0] for one in plan.cleared]


def test_plans_and_workspaces_are_bounded(plans, torch):
    plans.bytes[0] = 256
    a = FakeTensor(64, 64)
    for stream in range(16, 16 + 2 * _matmul._KEPT_WORKSPACES):
        tilecast.matmul(a, a, stream=stream)
    assert len(plans.made[0].workspaces) == _matmul._KEPT_WORKSPACES
    for rows in range(1, _matmul.KEPT_PLANS + 2):
        tilecast.matmul(FakeTensor(rows, 64), a)
    assert _matmul._plan.cache_info().currsize == _matmul.KEPT_PLANS
    assert _matmul._torch_plan.cache_info().currsize == _matmul.KEPT_PLANS


def test_a_second_matrix_that_is_not_torchs_is_refused(torch):
    with pytest.raises(tilecast.ConfigError, match="b: expected a torch tensor"):
        tilecast.matmul(FakeTensor(64, 64), Producer(64, 64))


def test_a_bias_is_by_row_or_column_as_its_sides_say():
    kind = _library.bias_kind
    assert kind(16, 64, (64,), (1,)) == kind(16, 64, (1, 64), (64, 1)) == _library.BIAS_N
    assert kind(16, 64, (16, 1), (1, 1)) == _library.BIAS_M
    for side, strides in [((16,), (1,)), ((64,), (2,)), ((16, 64), (64, 1)), ((16, 1), (3, 1)), ((), ())]:
        with pytest.raises(tilecast.ConfigError, match=r"bias: expected a contiguous tensor"):
            kind(16, 64, side, strides)


def test_bias_and_activation_are_the_plans(plans, torch):
    a, bias = FakeTensor(64, 64), FakeTensor(1, 64)
    tilecast.matmul(a, a, bias=bias, activation="gelu")
    tilecast.matmul(a, a, bias=bias, activation="gelu")
    tilecast.matmul(a, a, activation="silu")
    fused, silu = plans.made
    assert (fused.shape.bias, fused.shape.activation) == (_library.BIAS_N, 2)
    assert (silu.shape.bias, silu.shape.activation) == (_library.NO_BIAS, 4)
    assert [one[5] for one in fused.runs + silu.runs] == [4096, 4096, None]
    with pytest.raises(tilecast.ConfigError, match="activation: expected one of None, relu, gelu, "):
        tilecast.matmul(a, a, activation="tanh")
    other = FakeTensor(1, 64)
    other.dtype = "bf16"
    with pytest.raises(tilecast.ConfigError, match="bias: expected the dtype"):
        tilecast.matmul(a, a, bias=other)
    with pytest.raises(tilecast.ConfigError, match="bias: expected a torch tensor"):
        tilecast.matmul(a, a, bias=Producer(1, 64))


def test_a_residual_and_an_out_in_fp32_are_the_plans(plans, torch):
    a, out = FakeTensor(64, 64), FakeTensor(64, 64)
    out.dtype = "fp32"
    tilecast.matmul(a, a, out=out, residual=out)
    tilecast.matmul(a, a, residual=FakeTensor(64, 64))
    tilecast.matmul(a, a, out=out)
    in_place, added, wide = plans.made
    assert (in_place.shape.type_c, in_place.shape.residual, in_place.residual) == (_library.FP32, 1, 4096)
    assert (added.shape.type_c, added.shape.residual) == (0, 1)
    assert (wide.shape.type_c, wide.shape.residual, wide.residual) == (_library.FP32, 0, None)
    for residual in (FakeTensor(64, 32), out):  # other sizes and another type
        with pytest.raises(tilecast.ConfigError, match="residual: expected"):
            tilecast.matmul(a, a, residual=residual)
    with pytest.raises(tilecast.ConfigError, match="residual: expected a torch tensor"):
        tilecast.matmul(a, a, residual=Producer(64, 64))


def test_a_gate_halves_the_columns_of_out(plans, torch):
    a = FakeTensor(64, 64)
    assert tilecast.matmul(a, a, activation="swiglu").shape == (64, 32)
    assert tilecast.matmul(a, a, FakeTensor(64, 32), activation="geglu").shape == (64, 32)
    assert [plan.shape.activation for plan in plans.made] == [5, 6]
    with pytest.raises(tilecast.ConfigError, match="out: expected"):
        tilecast.matmul(a, a, FakeTensor(64, 64), activation="swiglu")
    with pytest.raises(tilecast.ConfigError, match="swiglu: a gated activation requires an even N, got 63"):
        tilecast.matmul(a, FakeTensor(64, 63), activation="swiglu")


def test_a_residual_of_another_library(plans):
    a, out = Producer(64, 64), Producer(64, 64, bits=32)
    tilecast.matmul(a, a, out, residual=out)
    (plan,) = plans.made
    assert (plan.shape.type_c, plan.shape.residual, plan.residual) == (_library.FP32, 1, 4096 + 32)
    with pytest.raises(tilecast.ConfigError, match="residual: expected"):
        tilecast.matmul(a, a, out, residual=a)


def test_a_bias_of_another_library(plans):
    a = Producer(64, 64)
    tilecast.matmul(a, a, a, Producer(1, 64), "relu")
    (plan,) = plans.made
    assert (plan.shape.bias, plan.shape.activation) == (_library.BIAS_N, 1)
    assert plan.runs[0][5] == 4096 + 32
    with pytest.raises(tilecast.ConfigError, match="bias: expected the dtype"):
        tilecast.matmul(a, a, a, Producer(1, 64, code=4))


def test_strides_say_the_layout():
    shape = _library.shape_of
    # B [k=32, n=64] packed, or as the transpose of a [64, 32]; then padded.
    assert shape(16, 64, 32, 1, (32, 1), (64, 1)) == _library.Shape(16, 64, 32, 1, _library.NN)
    assert shape(16, 64, 32, 1, (32, 1), (1, 32)) == _library.Shape(16, 64, 32, 1, _library.TN)
    assert shape(16, 64, 32, 1, (40, 1), (72, 1)) == _library.Shape(16, 64, 32, 1, _library.NN, 40, 72)
    assert shape(16, 64, 32, 1, (32, 1), (1, 48)) == _library.Shape(16, 64, 32, 1, _library.TN, 0, 48)
    # A is the transpose of a [32, 16], like dY in dY.t() @ X.
    assert shape(16, 64, 32, 1, (1, 16), (64, 1)) == _library.Shape(16, 64, 32, 1, _library.NT)
    assert shape(16, 64, 32, 1, (1, 24), (72, 1)) == _library.Shape(16, 64, 32, 1, _library.NT, 24, 72)
    assert shape(16, 64, 32, 1, (1, 16), (1, 32)) == _library.Shape(16, 64, 32, 1, _library.TT)
    with pytest.raises(tilecast.ConfigError, match="a: expected a stride of 1"):
        shape(16, 64, 32, 1, (2, 32), (64, 1))


@pytest.mark.parametrize("side, k, strides", [
    (1, 4096, (0, 0)), (1, 4096, (1, 0)), (4096, 1, (0, 1)), (4096, 1, (0, 0)), (64, 64, (0, 1)), (64, 64, (1, 0))])
def test_an_expanded_operand_is_not_taken_for_a_tight_one(side, k, strides):
    for operands in (side, 64, k, 1, strides, (64, 1)), (64, side, k, 1, (k, 1), strides[::-1]):
        with pytest.raises(tilecast.ConfigError, match="[ab]: expanded tensors are not supported"):
            _library.shape_of(*operands)


@pytest.mark.parametrize("side, k, strides, rows", [
    (1, 4096, (0, 1), (True, 0)), (1, 4096, (7, 1), (True, 0)), (1, 4096, (0, 2), (False, 2)),
    (4096, 1, (1, 0), (True, 0)), (4096, 1, (1, 4096), (True, 0)), (4096, 1, (3, 0), (True, 3)),
    (1, 1, (0, 0), (True, 0))])
def test_the_stride_of_one_element_says_nothing(side, k, strides, rows):
    assert _library._rows("a", side, k, strides) == rows


@pytest.mark.parametrize("which", range(4))
def test_no_matrix_of_a_call_is_expanded(plans, which):
    sides = [(1, 64), (64, 16), (1, 16), (1, 16)]  # sides of A, B, C and bias
    tensors = [Producer(*side, strides=(1, 0) if i == which else None) for i, side in enumerate(sides)]
    with pytest.raises(tilecast.ConfigError, match="expanded|contiguous"):
        tilecast.matmul(*tensors)
    assert not plans.made


def test_a_library_that_is_not_there(monkeypatch):
    monkeypatch.setenv("TILECAST_LIBRARY", "/nonexistent/libtilecast.so")
    _library.library.cache_clear()
    try:
        with pytest.raises(tilecast.FileError, match="TILECAST_LIBRARY"):
            _library.library()
    finally:
        _library.library.cache_clear()


@needs_library
def test_a_plan_of_a_named_gpu_forecasts_what_predict_does():
    plan = _library.Plan(_library.Shape(1024, 1024, 1024, _library.BF16, _library.TN), gpu="h200_sxm")
    config, us = plan.forecast()
    best = tilecast.predict(1024, 1024, 1024, dtype="bf16", top=1)[0]
    assert config == best.config and us == pytest.approx(best.time_us, rel=1e-4)


@needs_library
def test_a_plan_that_keeps_no_workspace_splits_k_only_if_clearing_pays():
    def schedules(m, n, k):
        shape = _library.Shape(m, n, k, _library.BF16, _library.TN, residual=1)
        configs = _library.Plan(shape, gpu="h200_sxm").forecast()[0], _library.fastest_with_clearing(shape, "h200_sxm")
        return [config.split(":")[0] for config in configs]

    # Its workspace is cleared in 1.4 us; the next schedule takes 0.5 us more than split K.
    assert schedules(32, 2048, 8192) == ["split_k", "warp_specialized"]
    assert schedules(64, 64, 65536) == ["split_k", "split_k"]  # else one SM would read all of K
    assert schedules(1024, 1024, 1024)[0] == schedules(1024, 1024, 1024)[1]


@needs_library
def test_errors_of_the_library_are_exceptions():
    with pytest.raises(tilecast.ConfigError, match="m is 2147483648"):
        _library.Plan(_library.Shape(2**31, 64, 64, _library.FP16, _library.TN), gpu="h200_sxm")
    with pytest.raises((tilecast.ConfigError, tilecast.FileError), match="h300"):
        _library.Plan(_library.Shape(64, 64, 64, _library.FP16, _library.TN), gpu="h300")


@needs_library
def test_the_environment_asks_for_programmatic_launches(monkeypatch):
    shape = _library.Shape(1024, 1024, 1024, _library.BF16, _library.TN)
    ordinary = _library.Plan(shape, gpu="h200_sxm").forecast()
    monkeypatch.setenv("TILECAST_PROGRAMMATIC", "1")
    assert _library.Plan(shape, gpu="h200_sxm").forecast() == ordinary
    monkeypatch.setenv("TILECAST_PROGRAMMATIC", "yes")
    with pytest.raises(tilecast.ConfigError, match="TILECAST_PROGRAMMATIC: expected 0 or 1, got 'yes'"):
        _library.Plan(shape, gpu="h200_sxm")


@needs_library
@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="there is a GPU")
def test_without_a_gpu_running_says_so():
    with pytest.raises(tilecast.Error):
        tilecast.matmul(Producer(64, 64), Producer(64, 64), Producer(64, 64))
    assert _matmul._plan.cache_info().currsize == 0
