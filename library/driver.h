// Driver functions that a run calls, looked up through the runtime, so that nothing links libcuda.
#pragma once

#include <cuda.h>

namespace tilecast {

struct Driver {
  decltype(&cuLaunchKernelEx) launch;
  decltype(&cuTensorMapReplaceAddress) replace_address;
  decltype(&cuMemsetD8Async) set_bytes;
  decltype(&cuKernelGetFunction) function_of;
  decltype(&cuCtxGetCurrent) current_context;
  decltype(&cuCtxSetCurrent) make_current;
  decltype(&cuGetErrorString) error_string;
};

/// Throws DeviceError if there is no driver, or if it lacks these functions (before CUDA 12.0).
const Driver& driver();

/// Writes "call: the driver's message for `result`", truncated to `room` characters. For code that
/// must not throw.
void describe(const Driver& driver, const char* call, CUresult result, char* text,
              std::size_t room) noexcept;

}  // namespace tilecast
