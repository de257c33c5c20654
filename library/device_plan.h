// The part of a plan that runs. Built with CUDA (cuda_plan.cpp) or, saying so, without
// (without_cuda.cpp).
#pragma once

#include <tilecast/tilecast.h>

#include <cstddef>
#include <memory>
#include <string>

#include "library/request.h"
#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"

namespace tilecast {

struct CurrentGpu {
  std::string name;  // "NVIDIA H200"
  i32 sm_count;
  int driver;  // the CUDA version that it knows: 13000
};

/// Throws DeviceError where there is none, StatusError where CUDA fails.
CurrentGpu current_gpu();

/// One compiled kernel on one device, and all of its launch that does not differ between runs.
class DevicePlan {
 public:
  virtual ~DevicePlan() = default;

  /// What locks and partial sums take; 0 where K is not split.
  virtual std::size_t workspace_bytes() const = 0;
  virtual tilecast_status clear(void* workspace, void* stream) const noexcept = 0;
  /// Checks nothing of `arguments` but the addresses' alignment.
  virtual tilecast_status run(const tilecast_arguments& arguments, void* stream) const noexcept = 0;
};

/// On the current device. Throws DeviceError where that, or NVRTC, is missing or another's,
/// StatusError (TILECAST_UNSUPPORTED where it is this configuration that the device or the compiler
/// does not take) or Error where the kernel cannot be made.
std::unique_ptr<DevicePlan> make_device_plan(const Request& request, const KernelConfig& config);

}  // namespace tilecast
