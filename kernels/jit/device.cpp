#include "kernels/jit/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/jit/cuda_error.h"

namespace tilecast {
namespace {

constexpr i32 kHopper = 90;
constexpr i32 kBlackwell = 100;

i32 attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  TILECAST_CUDA(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

}  // namespace

Device current_device() {
  int count = 0;
  TILECAST_CUDA(cudaGetDeviceCount(&count));
  Device device{};
  TILECAST_CUDA(cudaGetDevice(&device.ordinal));
  cudaDeviceProp properties{};
  TILECAST_CUDA(cudaGetDeviceProperties(&properties, device.ordinal));
  device.name = properties.name;
  device.sm_count = attribute(cudaDevAttrMultiProcessorCount, device.ordinal);
  device.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device.ordinal) +
                      attribute(cudaDevAttrComputeCapabilityMinor, device.ordinal);
  return device;
}

std::string why_not_runnable(const Device& device, std::string_view architecture) {
  const bool blackwell = architecture == "sm_100a";
  const i32 needed = blackwell ? kBlackwell : kHopper;
  if (device.capability == needed) {
    return "";
  }
  return fmt::format("GPU {} ({}) has compute capability {}.{}: the kernel needs {}.{} ({})",
                     device.ordinal, device.name, device.capability / 10, device.capability % 10,
                     needed / 10, needed % 10, blackwell ? "Blackwell" : "Hopper");
}

Device require_hopper() {
  Device device = current_device();
  if (device.capability != kHopper) {
    throw DeviceError(
        fmt::format("GPU {} ({}) has compute capability {}.{}: the kernels need 9.0 (Hopper)",
                    device.ordinal, device.name, device.capability / 10, device.capability % 10));
  }
  return device;
}

}  // namespace tilecast
