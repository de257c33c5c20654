#include "library/driver.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdio>

#include "kernels/jit/cuda_error.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr unsigned kSince = 12000;  // CUDA version of the requested function signatures

template <class Function>
void find(const char* name, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  TILECAST_CUDA(cudaGetDriverEntryPointByVersion(name, &found, kSince, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    throw DeviceError(fmt::format(
        "the NVIDIA driver is too old: {} requires a driver for CUDA 12.0 or later", name));
  }
  function = reinterpret_cast<Function>(found);
}

Driver find_driver() {
  Driver driver{};
  find("cuLaunchKernelEx", driver.launch);
  find("cuTensorMapReplaceAddress", driver.replace_address);
  find("cuMemsetD8Async", driver.set_bytes);
  find("cuKernelGetFunction", driver.function_of);
  find("cuCtxGetCurrent", driver.current_context);
  find("cuCtxSetCurrent", driver.make_current);
  find("cuGetErrorString", driver.error_string);
  return driver;
}

}  // namespace

const Driver& driver() {
  static const Driver kDriver = find_driver();
  return kDriver;
}

void describe(const Driver& driver, const char* call, CUresult result, char* text,
              std::size_t room) noexcept {
  const char* words = nullptr;
  if (driver.error_string(result, &words) != CUDA_SUCCESS || words == nullptr) {
    words = "unknown error";
  }
  std::snprintf(text, room, "%s: %s (%d)", call, words, static_cast<int>(result));
}

}  // namespace tilecast
