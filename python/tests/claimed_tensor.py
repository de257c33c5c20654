"""A DLPack tensor in host memory that claims to be on any device; its elements are never read."""

import ctypes

from tilecast import _library


def capsule(address, name):
    """Creates a PyCapsule without a destructor."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(address, name, None)


class ClaimedTensor:
    def __init__(self, *sides, device=2, code=2, bits=16, strides=None, data=4096, byte_offset=0):
        self.view = _library._DlTensor(
            data=data, device_type=device, device_id=0, ndim=len(sides), code=code, bits=bits, lanes=1,
            shape=(ctypes.c_int64 * len(sides))(*sides),
            strides=(ctypes.c_int64 * len(sides))(*strides) if strides else None, byte_offset=byte_offset)
        self.device = device

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, stream=None):
        return capsule(ctypes.addressof(self.view), b"dltensor")
