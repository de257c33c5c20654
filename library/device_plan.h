// The executable part of a plan. Built with CUDA (cuda_gemm.cpp, cuda_attention.cpp) or as a stub
// that reports its absence (without_cuda.cpp).
#pragma once

#include <tilecast/tilecast.h>

#include <cstddef>
#include <memory>
#include <string>

#include "library/attention_request.h"
#include "library/gemm_request.h"
#include "model/base/integers.h"

namespace tilecast {

struct CurrentGpu {
  std::string name;  // name, such as "NVIDIA H200"
  i32 sm_count;
  int driver;  // CUDA version supported by the driver, such as 13000
};

/// Throws DeviceError if there is no GPU, StatusError if CUDA fails.
CurrentGpu current_gpu();

/// One compiled kernel on one device, with everything of its launch that does not depend on the
/// run.
template <class Arguments>
class DevicePlan {
 public:
  virtual ~DevicePlan() = default;

  virtual std::size_t workspace_bytes() const = 0;
  virtual tilecast_status clear(void* workspace, void* stream) const noexcept = 0;
  /// `arguments` must have been checked.
  virtual tilecast_status run(const Arguments& arguments, void* stream) const noexcept = 0;
};

/// Prepares a plan for the current device. Throws DeviceError if the device or NVRTC is missing or
/// incompatible, StatusError (TILECAST_UNSUPPORTED if the device or compiler cannot run this
/// configuration) or Error if the kernel cannot be created.
std::unique_ptr<DevicePlan<tilecast_arguments>> make_device_plan(const GemmRequest& request,
                                                                 const KernelConfig& config);
std::unique_ptr<DevicePlan<tilecast_attention_arguments>> make_device_plan(
    const AttentionRequest& request, const AttentionConfig& config);

}  // namespace tilecast
