#include "kernels/jit/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernels/jit/cuda_error.h"
#include "model/base/refuse.h"

namespace tilecast {
namespace {

constexpr i32 kAmpere = 80;
constexpr i32 kHopper = 90;
constexpr i32 kBlackwell = 100;

i32 attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  TILECAST_CUDA(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

std::string capability_text(const Device& device) {
  return fmt::format("GPU {} ({}) has compute capability {}.{}", device.ordinal, device.name,
                     device.capability / 10, device.capability % 10);
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

std::string mma_sync_architecture(const Device& device) {
  const i32 capability = std::max(device.capability, kAmpere);
  return fmt::format("sm_{}{}", capability, capability == kHopper ? "a" : "");
}

std::string why_not_runnable(const Device& device, std::string_view architecture) {
  i32 needed = 0;
  std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), needed);
  if (device.capability == needed) {
    return "";
  }
  return fmt::format("{}: the kernel requires {}.{}{}", capability_text(device), needed / 10,
                     needed % 10,
                     needed == kBlackwell ? " (Blackwell)"
                     : needed == kHopper  ? " (Hopper)"
                                          : "");
}

Device require_hopper() {
  Device device = current_device();
  refuse_if<DeviceError>(device.capability != kHopper, "{}: the kernels require 9.0 (Hopper)",
                         capability_text(device));
  return device;
}

Device require_ampere() {
  Device device = current_device();
  refuse_if<DeviceError>(device.capability < kAmpere,
                         "{}: the kernels require 8.0 (Ampere) or later", capability_text(device));
  return device;
}

std::string only_architecture(const Device& device) {
  const i32 major = device.capability / 10;
  return major == kHopper / 10 || major == kBlackwell / 10 ? "" : mma_sync_architecture(device);
}

}  // namespace tilecast
