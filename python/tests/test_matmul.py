"""tilecast.matmul without a GPU: what it refuses and why, and plans of a named GPU; tests marked gpu run
where there is one."""

import ctypes
import os

import pytest
import tilecast
from tilecast import _library, _matmul

try:
    _library.library()
    HAS_LIBRARY = True
except tilecast.FileError:
    HAS_LIBRARY = False
needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="no libtilecast; TILECAST_LIBRARY names one")


class Producer:
    """A tensor of DLPack, on any device, of host memory."""

    def __init__(self, rows, columns, device=2, code=2, bits=16, strides=None):
        self.shape = (ctypes.c_int64 * 2)(rows, columns)
        self.strides = (ctypes.c_int64 * 2)(*strides) if strides else None
        self.device = device
        self.view = _library._DlTensor(
            data=4096, device_type=device, device_id=0, ndim=2, code=code, bits=bits, lanes=1,
            shape=self.shape, strides=self.strides, byte_offset=32)

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.view), b"dltensor", None)


def test_a_dlpack_tensor_is_read():
    found = _library.matrix("a", Producer(128, 64, strides=(72, 1)), 0)
    assert found[:7] == (4096 + 32, 128, 64, 72, 1, _library.FP16, 0)
    assert _library.matrix("a", Producer(128, 64, code=4), 0)[3:6] == (64, 1, _library.BF16)


@pytest.mark.parametrize("a, b, words", [
    (Producer(64, 64), object(), "b: expected a tensor"),
    (Producer(64, 64, device=1), Producer(64, 64), "a: expected a CUDA tensor"),
    (Producer(64, 64, bits=32), Producer(64, 64), "a: expected fp16 or bf16"),
    (Producer(64, 64), Producer(64, 64), "out: needed"),
])
def test_what_is_no_matrix_of_the_gpu_is_refused(a, b, words):
    with pytest.raises(tilecast.ConfigError, match=words):
        tilecast.matmul(a, b)


@pytest.mark.parametrize("a, b, out, words", [
    (Producer(64, 32), Producer(64, 64), Producer(64, 64), "a has 32 columns, b 64 rows"),
    (Producer(64, 64), Producer(64, 64, code=4), Producer(64, 64), "one type"),
    (Producer(64, 64), Producer(64, 32), Producer(64, 64), "out: expected"),
    (Producer(64, 64), Producer(64, 64), Producer(64, 64, strides=(1, 64)), "contiguous"),
    (Producer(64, 64, strides=(1, 64)), Producer(64, 64), Producer(64, 64), "a: rows must be contiguous"),
    (Producer(64, 64), Producer(64, 64, strides=(128, 2)), Producer(64, 64), "b: rows or columns"),
])
def test_matrices_that_do_not_go_together_are_refused(a, b, out, words):
    with pytest.raises(tilecast.ConfigError, match=words):
        tilecast.matmul(a, b, out)


def test_strides_say_the_layout():
    shape = _library.shape_of
    # B [k=32, n=64] with rows of 64, or a transposed [64, 32]; then with room between rows.
    assert shape(16, 64, 32, 1, (32, 1), (64, 1)) == _library.Shape(16, 64, 32, 1, _library.NN)
    assert shape(16, 64, 32, 1, (32, 1), (1, 32)) == _library.Shape(16, 64, 32, 1, _library.TN)
    assert shape(16, 64, 32, 1, (40, 1), (72, 1)) == _library.Shape(16, 64, 32, 1, _library.NN, 40, 72)
    assert shape(16, 64, 32, 1, (32, 1), (1, 48)) == _library.Shape(16, 64, 32, 1, _library.TN, 0, 48)


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
def test_errors_of_the_library_are_exceptions():
    with pytest.raises(tilecast.ConfigError, match="K must be a multiple of 8"):
        _library.Plan(_library.Shape(64, 64, 7, _library.FP16, _library.TN), gpu="h200_sxm")
    with pytest.raises((tilecast.ConfigError, tilecast.FileError), match="h300"):
        _library.Plan(_library.Shape(64, 64, 64, _library.FP16, _library.TN), gpu="h300")


@needs_library
@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="there is a GPU")
def test_without_a_gpu_running_says_so():
    with pytest.raises(tilecast.Error):
        tilecast.matmul(Producer(64, 64), Producer(64, 64), Producer(64, 64))
    assert not _matmul._plans
