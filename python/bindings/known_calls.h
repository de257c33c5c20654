// Calls of tilecast.matmul that went well once: a call that is like one of them in all that the
// package looks at goes straight to its plan. That is the key, compared as a whole: device, type,
// sides and strides of each tensor, the activation, the current stream. What changes beside it is
// asked each time: whether gradients are recorded, the stream is captured, the device is current;
// where matrices lie the plan checks. Whatever is not plain, and whatever fails, is no known call:
// the package's own way does it, or says what is wrong.
// Tensors are read through DLPack's table of C functions, the attribute __dlpack_c_exchange_api__
// of their type; of a torch without one no call is known. All is under the GIL but the launch, so
// threads share one table without a lock.
// Checked by: python/tests/test_known_calls.py, python/tests/test_torch.py.
#pragma once

#include <nanobind/nanobind.h>

namespace tilecast::python {

/// The class KnownCalls, as python/tilecast/_native.pyi has it.
void add_known_calls(nanobind::module_& module);

}  // namespace tilecast::python
