// Fast path of tilecast.matmul: a call that matches an earlier successful one uses its plan
// directly. The key is compared as a whole: device, type, sizes and strides of each tensor, the
// activation, the current stream. Other conditions are checked each time: whether gradients are
// recorded, the stream is captured, the device is current; the plan checks addresses. The package's
// ordinary path takes all other calls and every failure. Tensors are read through DLPack's C
// exchange API, the attribute __dlpack_c_exchange_api__ of their type; with a torch without one no
// call is known. Everything except the launch holds the GIL, so threads share one table without a
// lock. Checked by: python/tests/test_known_calls.py, python/tests/test_torch.py.
#pragma once

#include <nanobind/nanobind.h>

namespace tilecast::python {

/// The class KnownCalls of python/tilecast/_native.pyi.
void add_known_calls(nanobind::module_& module);

}  // namespace tilecast::python
