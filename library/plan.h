// A plan: a forecast and, if a device can run it, the kernel. Each op has a request with the types
// of its configurations and arguments and the check of its arguments (gemm_request.h), its
// workspace (gemm_workspace.h) and its device plan (cuda_gemm.cpp).
#pragma once

#include <tilecast/tilecast.h>

#include <memory>
#include <string>

#include "library/attention_request.h"
#include "library/device_plan.h"
#include "library/gemm_request.h"

namespace tilecast {

class Plan {
 public:
  virtual ~Plan() = default;

  const tilecast_forecast& forecast() const { return forecast_; }
  /// Workspace size in bytes. Without a device, it is derived from the model's estimate of resident
  /// CTAs.
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  tilecast_status clear(void* workspace, std::size_t bytes, void* stream) const noexcept;

 protected:
  /// Also fails without a device.
  tilecast_status check_workspace(const void* workspace, std::size_t bytes) const noexcept;

  tilecast_forecast forecast_{};
  std::size_t workspace_bytes_ = 0;
  std::string why_not_runnable_;

 private:
  virtual tilecast_status clear_on_device(void* workspace, void* stream) const noexcept = 0;
};

template <class OpRequest>
class PlanOf final : public Plan {
 public:
  /// Throws for the failures that tilecast_plan_create documents.
  explicit PlanOf(const OpRequest& request);

  tilecast_status run(const typename OpRequest::Arguments& arguments, void* stream) const noexcept;

 private:
  tilecast_status clear_on_device(void* workspace, void* stream) const noexcept override {
    return device_->clear(workspace, stream);
  }

  typename OpRequest::ArgumentCheck check_;
  // Null if the plan only forecasts.
  std::unique_ptr<const DevicePlan<typename OpRequest::Arguments>> device_;
};

/// Returns the GPU file for a request: the file that it names, else the current device's.
std::string gpu_name(const Request& request);

}  // namespace tilecast
