#include "kernels/jit/cuda_error.h"

#include <fmt/format.h>

namespace tilecast {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

CudaError::CudaError(const char* call, cudaError_t error, const std::source_location& where)
    : Error(ExitCode::kWrong,
            fmt::format("{}:{}: {}: {} ({})", where.file_name(), where.line(), call,
                        cudaGetErrorString(error), cudaGetErrorName(error))),
      error_(error) {}

std::optional<std::string> machine_problem(cudaError_t error, int driver_version,
                                           int runtime_version) {
  const auto too_old = [&] {
    return fmt::format("the NVIDIA driver is too old: it supports CUDA {}, this program needs {}",
                       version_text(driver_version), version_text(runtime_version));
  };
  switch (error) {
    case cudaErrorInsufficientDriver:
      return driver_version == 0 ? "no NVIDIA driver is installed" : too_old();
    case cudaErrorCallRequiresNewerDriver:
      return too_old();
    case cudaErrorStubLibrary:
      return "the NVIDIA driver library is a stub: no driver is installed";
    case cudaErrorNoDevice:
      return "no NVIDIA GPU is visible (see CUDA_VISIBLE_DEVICES)";
    case cudaErrorDevicesUnavailable:
      return "the GPU is busy in exclusive mode or not available";
    case cudaErrorSystemDriverMismatch:
      return "the NVIDIA kernel driver and driver library have different versions";
    case cudaErrorCompatNotSupportedOnDevice:
      return "this GPU does not support CUDA's forward compatibility package";
    case cudaErrorSystemNotReady:
      return "the system is not ready to run CUDA (is the fabric manager up?)";
    default:
      return {};
  }
}

void throw_cuda_error(const char* call, cudaError_t error, const std::source_location& where) {
  int driver = 0;
  int runtime = 0;
  // Both calls work without a driver; if they fail, the versions stay 0.
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  if (const auto problem = machine_problem(error, driver, runtime)) {
    throw DeviceError(*problem);
  }
  throw CudaError(call, error, where);
}

}  // namespace tilecast
