// A plan: a forecast and, if a device can run it, the kernel.
#pragma once

#include <tilecast/tilecast.h>

#include <memory>

#include "library/device_plan.h"
#include "library/request.h"

namespace tilecast {

class Plan {
 public:
  /// Throws on the failures documented for tilecast_plan_create.
  explicit Plan(const Request& request);

  const tilecast_forecast& forecast() const { return forecast_; }
  /// Without a device it uses the model's estimate of resident workers.
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  tilecast_status clear(void* workspace, std::size_t bytes, void* stream) const noexcept;
  tilecast_status run(const tilecast_arguments& arguments, void* stream) const noexcept;

 private:
  tilecast_status check_workspace(const void* workspace, std::size_t bytes) const noexcept;

  tilecast_forecast forecast_;
  std::size_t workspace_bytes_;
  bool alpha_beta_, biased_, scaled_operands_, in_groups_;
  bool block_scales_, loads_, scales_c_, finds_amax_;
  std::unique_ptr<const DevicePlan> device_;  // null: forecast only
  std::string why_not_runnable_;
};

/// GPU file for a request: the one it names, else the current device's.
std::string gpu_name(const Request& request);

}  // namespace tilecast
