"""Tests which calls take the fast path: KnownCalls on fake tensors through DLPack's exchange API,
with a plan that only records its runs."""

import ctypes
import sys
import threading
import types
import weakref

import pytest
import tilecast
from claimed_tensor import capsule
from test_matmul import FakeDevice, FakePlan, FakeTensor, FakeTorch
from tilecast import _library, _matmul, _native

CUDA, FP16, BF16 = 2, 2, 4  # dlpack.h's codes for the CUDA device and 16-bit types


class Tensor(FakeTensor):
    def __init__(self, *sides, strides=None, data=4096, device=0, device_type=CUDA, code=FP16):
        self.shape, self.requires_grad = sides, False
        self.dtype, self.device = "fp16", FakeDevice("cuda", device)
        self.sides = (ctypes.c_int64 * len(sides))(*sides)
        self.strides = (ctypes.c_int64 * len(sides))(*(strides or (*sides[1:], 1)))
        self.view = _library._DlTensor(data=data, device_type=device_type, device_id=device,
                                       ndim=len(sides), code=code, bits=16, lanes=1,
                                       shape=self.sides, strides=self.strides, byte_offset=0)

    def new_empty(self, sides):
        return Tensor(*sides) if isinstance(sides, tuple) else Tensor(sides)

    def expand(self, *sides):
        return Tensor(*sides, strides=(0, 0))


class Derived(Tensor):
    pass


class Parameter(Tensor):
    pass


class Kept:
    pass


def empty_like(tensor):
    return Tensor(*tensor.shape, data=8192)


class World:
    """A fake driver, torch and library with fixed responses; `runs` records addresses and stream of each run."""

    def __init__(self):
        self.device, self.stream, self.capturing, self.status = 0, 7, 0, 0
        self.grad = [True]
        self.runs, self.failing = [], False
        self.functions = [
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_library._DlTensor))(self.view),
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32,
                             ctypes.POINTER(ctypes.c_void_p))(self.current_stream),
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_library._Arguments),
                             ctypes.c_void_p)(self.run),
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))(self.current_device),
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))(self.is_capturing)]
        view, stream, *self.addresses = (ctypes.cast(one, ctypes.c_void_p).value for one in self.functions)
        self.table = (ctypes.c_uint64 * 7)(1 | 3 << 32, 0, 0, 0, 0, view, stream)  # version 1.3
        self.calls = self.known()

    def api(self, name=b"dlpack_exchange_api"):
        return capsule(ctypes.addressof(self.table), name)

    def known(self):
        grad = self.grad  # not self, which would create a reference cycle
        return _native.KnownCalls(self.api(), Tensor, Parameter, lambda: grad[0], empty_like,
                                  *self.addresses)

    def view(self, tensor, place):
        if self.failing:
            return -1
        place[0] = tensor.view
        return 0

    def current_stream(self, device_type, device, place):
        place[0] = self.stream
        return 0

    def run(self, plan, arguments, stream):
        one = arguments.contents
        self.runs.append((plan, one.a, one.b, one.c, one.bias, one.workspace, one.workspace_bytes, stream))
        return self.status

    def current_device(self, place):
        place[0] = self.device
        return 0

    def is_capturing(self, stream, place):
        place[0] = self.capturing
        return 0

    def remember(self, *call, kept=None):
        self.calls.remember(*call, 64, 512, 256, kept)


@pytest.fixture
def world():
    return World()


def of(**changed):
    """Arguments of a call (a, b, out, bias, activation) with `changed` applied."""
    call = {"a": Tensor(32, 64), "b": Parameter(64, 16), "out": Tensor(32, 16), "bias": Tensor(16),
            "activation": "gelu"}
    return list({**call, **changed}.values())


def test_a_call_like_one_before_runs_its_plan_where_its_matrices_are(world):
    assert world.calls.run(*of()) is None
    world.remember(*of())
    out = Tensor(32, 16, data=3 * 4096)
    assert world.calls.run(*of(a=Tensor(32, 64, data=2 * 4096), out=out)) is out
    assert world.runs == [(64, 2 * 4096, 4096, 3 * 4096, 4096, 512, 256, 7)]
    # A call without optional arguments and with a newly allocated result.
    call = [Tensor(32, 64), Tensor(64, 16), None, None, None]
    world.remember(*call)
    result = world.calls.run(*call)
    assert type(result) is Tensor and result.shape == (32, 16)
    assert world.runs[1] == (64, 4096, 4096, 8192, None, 512, 256, 7)


@pytest.mark.parametrize("changed", [
    {"a": Tensor(40, 64)}, {"a": Tensor(32, 72)}, {"a": Tensor(32, 64, strides=(72, 1))},
    {"b": Tensor(64, 16, strides=(1, 64))}, {"a": Tensor(32, 64, code=BF16)},
    {"b": Tensor(64, 16, device=1)}, {"a": Tensor(32, 64, device_type=1)}, {"a": Tensor(64)},
    {"a": Tensor(1, 32, 64)}, {"a": Derived(32, 64)}, {"b": object()}, {"b": None}, {"out": None},
    {"out": Tensor(32, 16, strides=(24, 1))}, {"out": Tensor(32, 16, code=BF16)}, {"bias": None},
    {"bias": Tensor(1, 16)}, {"bias": Tensor(32, 1)}, {"activation": None}, {"activation": "relu"},
    {"activation": 3},
])
def test_a_call_that_differs_in_anything_but_places_is_not_known(world, changed):
    world.remember(*of())
    assert world.calls.run(*of(**changed)) is None and not world.runs
    assert world.calls.run(*of()) is not None and len(world.runs) == 1


@pytest.mark.parametrize("now", [{"stream": 8}, {"device": 1}, {"capturing": 1}, {"failing": True}])
def test_a_call_on_another_stream_or_device_or_in_a_graph_is_not_known(world, now):
    world.remember(*of())
    before = dict(vars(world))
    vars(world).update(now)
    assert world.calls.run(*of()) is None and not world.runs
    world.remember(*of(a=Tensor(40, 64), out=Tensor(40, 16)))  # not remembered either, except on a
                                                               # stream
    vars(world).update({name: before[name] for name in now})
    assert world.calls.run(*of(a=Tensor(40, 64), out=Tensor(40, 16))) is None
    assert world.calls.run(*of()) is not None


@pytest.mark.parametrize("which", range(4))
def test_what_requires_grad_is_not_known_where_grad_is_on(world, which):
    world.remember(*of())
    call = of()
    call[which].requires_grad = True
    assert world.calls.run(*call) is None and not world.runs
    world.grad[0] = False
    assert world.calls.run(*call) is call[2] and len(world.runs) == 1


def test_a_plan_that_does_not_run_leaves_it_to_the_package(world):
    world.remember(*of())
    world.status = 4
    assert world.calls.run(*of()) is None and len(world.runs) == 1


def test_an_activation_is_known_by_its_word_whatever_object_it_is(world):
    for start, end in ("ge", "lu"), ("si", "lu"):
        world.remember(*of(activation="".join([start, end])))
        assert world.calls.run(*of(activation="".join([start, end]))) is not None
    kept = Kept()
    alive = weakref.ref(kept)
    world.remember(*of(), kept=kept)
    del kept
    for _ in range(1000):  # a single call, which does not fill the table
        world.remember(*of(activation="".join(["si", "lu"])))
    assert alive() is not None and len(world.runs) == 2


def test_what_a_call_needs_is_kept_as_long_as_it_is_known(world):
    kept = [Kept(), Kept()]
    alive = [weakref.ref(one) for one in kept]
    world.remember(*of(), kept=kept.pop(0))
    assert alive[0]() is not None
    world.remember(*of(), kept=kept.pop())
    assert alive[0]() is None and alive[1]() is not None
    for rows in range(1000, 1000 + 512):
        world.remember(*of(a=Tensor(rows, 64)))
    assert alive[1]() is None


def test_threads_share_what_is_known(world):
    world.remember(*of())
    wrong, stop = [], threading.Event()

    def call(data):
        out = Tensor(32, 16, data=data)
        while not stop.is_set():
            if world.calls.run(*of(out=out)) not in (out, None):
                wrong.append(data)

    threads = [threading.Thread(target=call, args=(4096 * (i + 1),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for rows in range(2000):
        world.remember(*of(a=Tensor(rows, 64)), kept=Kept())
        world.remember(*of(), kept=Kept())
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong and {one[3] for one in world.runs} <= {4096 * (i + 1) for i in range(8)}


def test_an_unknown_version_of_the_api_is_refused(world):
    world.table[0] = 2
    with pytest.raises(ValueError, match="version 1"):
        world.known()


@pytest.fixture
def plan(world, monkeypatch):
    """A fake plan for matmul, and a fake torch whose calls take the fast path for known calls."""

    class Torch(FakeTorch):
        nn = types.SimpleNamespace(Parameter=Parameter)
        empty_like = staticmethod(empty_like)

    Torch.Tensor = Tensor
    plan = FakePlan(None)
    plan.handle = 64
    monkeypatch.setattr(Tensor, "__dlpack_c_exchange_api__", world.api(), raising=False)
    monkeypatch.setitem(sys.modules, "torch", Torch())
    monkeypatch.setattr(_library, "addresses", lambda: world.addresses)
    # a driver would dereference the stream
    monkeypatch.setattr(_library, "capture_of", lambda stream: None)
    monkeypatch.setattr(_matmul, "_torch_plan", lambda *_: plan)
    monkeypatch.setattr(_matmul, "_known", None)
    monkeypatch.setattr(_matmul, "_refused", None)
    return plan


def test_the_second_call_of_matmul_is_known(world, plan):
    a, b = Tensor(32, 64), Tensor(64, 16)
    for _ in range(3):
        assert tilecast.matmul(a, b).shape == (32, 16)
    assert len(plan.runs) == 1 and [one[3] for one in world.runs] == [8192, 8192]
    tilecast.matmul(a, b, stream=7)  # with an explicit stream the Python path takes the call
    assert len(plan.runs) == 2 and len(world.runs) == 2
    a.requires_grad = True
    with pytest.raises(tilecast.ConfigError, match="requires grad"):
        tilecast.matmul(a, b)


@pytest.mark.parametrize("wrong", ["version", "view", "name"])
def test_matmul_does_without_an_api_that_is_unknown_and_tries_it_once(world, plan, monkeypatch, wrong):
    if wrong == "version":
        world.table[0] = 2
    elif wrong == "view":
        world.table[5] = 0
    else:
        monkeypatch.setattr(Tensor, "__dlpack_c_exchange_api__", world.api(b"another"))
    tried = []
    monkeypatch.setattr(_library, "addresses", lambda: tried.append(1) or world.addresses)
    for _ in range(2):
        assert tilecast.matmul(Tensor(32, 64), Tensor(64, 16)).shape == (32, 16)
    assert len(plan.runs) == 2 and not world.runs and len(tried) == 1


def test_a_call_that_cannot_be_remembered_went_well_all_the_same(world, plan, monkeypatch):
    right = Tensor.new_empty

    def new_empty(self, sides):
        if not isinstance(sides, tuple):  # the prototype for results of a remembered call
            raise MemoryError
        return right(self, sides)

    a, b = Tensor(32, 64), Tensor(64, 16)
    monkeypatch.setattr(Tensor, "new_empty", new_empty)
    for _ in range(2):
        assert tilecast.matmul(a, b).shape == (32, 16)
    assert len(plan.runs) == 2 and not world.runs
    monkeypatch.setattr(Tensor, "new_empty", right)
    for _ in range(2):
        tilecast.matmul(a, b)
    assert len(plan.runs) == 3 and len(world.runs) == 1
