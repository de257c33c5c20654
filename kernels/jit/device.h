// The GPU that kernels run on: the runtime's current device.
#pragma once

#include <string>
#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

struct Device {
  int ordinal;
  std::string name;
  i32 sm_count;
  i32 capability;  // compute capability: 90 for 9.0
};

/// Queries the current device. Throws a DeviceError that names what is missing: driver, newer
/// driver or GPU.
Device current_device();

/// Returns the architecture for which kernels with mma.sync are compiled: "sm_86" for 8.6, "sm_90a"
/// for 9.0.
std::string mma_sync_architecture(const Device& device);

/// Explains why `device` cannot run kernels compiled for `architecture`, such as "sm_100a"; empty
/// if it can.
std::string why_not_runnable(const Device& device, std::string_view architecture);

/// Like current_device; also throws DeviceError if the GPU cannot run sm_90a kernels.
Device require_hopper();

/// Like current_device; also throws DeviceError if the GPU is older than Ampere.
Device require_ampere();

/// Returns the architecture to compile all kernels for if the GPU runs kernels with mma.sync
/// alone; empty on Hopper and Blackwell, where each kernel has its own.
std::string only_architecture(const Device& device);

}  // namespace tilecast
