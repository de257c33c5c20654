// Turns errors of the CUDA runtime into exceptions: DeviceError if the machine cannot run kernels
// (no driver, driver too old, no GPU), otherwise CudaError.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <source_location>
#include <string>

#include "model/base/error.h"

namespace tilecast {

class CudaError : public Error {
 public:
  CudaError(const char* call, cudaError_t error, const std::source_location& where);
  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_;
};

/// Explains in one line why this machine cannot run kernels, if `error` means that. Versions are
/// encoded as by the runtime (12040 is 12.4); driver version 0 means no driver.
std::optional<std::string> machine_problem(cudaError_t error, int driver_version,
                                           int runtime_version);

/// Throws DeviceError or CudaError that names the failed call.
[[noreturn]] void throw_cuda_error(const char* call, cudaError_t error,
                                   const std::source_location& where);

}  // namespace tilecast

#define TILECAST_CUDA(call)                                                                 \
  do {                                                                                      \
    if (const cudaError_t tilecast_error = (call); tilecast_error != cudaSuccess) {         \
      ::tilecast::throw_cuda_error(#call, tilecast_error, std::source_location::current()); \
    }                                                                                       \
  } while (false)
