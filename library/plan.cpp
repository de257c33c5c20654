#include "library/plan.h"

#include <fmt/format.h>

#include <variant>
#include <vector>

#include "library/arguments.h"
#include "library/attention_workspace.h"
#include "library/forecast.h"
#include "library/gemm_workspace.h"
#include "library/gpu_file.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostTried = 8;  // candidate kernels; nearly all compile as intended

}  // namespace

std::string gpu_name(const Request& request) {
  if (request.gpu) {
    return *request.gpu;
  }
  try {
    return gpu_file_of(current_gpu(), request.config_folder);
  } catch (const DeviceError& error) {
    throw DeviceError(
        fmt::format("{}; name the GPU to predict for with options.gpu", error.what()));
  }
}

tilecast_status Plan::check_workspace(const void* workspace, std::size_t bytes) const noexcept {
  if (workspace_bytes_ != 0) {
    if (workspace == nullptr) {
      return fail_argument(
          "the workspace is null; tilecast_plan_workspace returns the required size");
    }
    if (misaligned(workspace, kTensorAlignment)) {
      return fail_argument("the workspace is not 16-byte aligned");
    }
    if (bytes < workspace_bytes_) {
      return fail(TILECAST_WORKSPACE_TOO_SMALL,
                  "the workspace is smaller than the size that tilecast_plan_workspace returns");
    }
  }
  return why_not_runnable_.empty() ? TILECAST_OK : fail(TILECAST_NO_DEVICE, why_not_runnable_);
}

tilecast_status Plan::clear(void* workspace, std::size_t bytes, void* stream) const noexcept {
  const tilecast_status checked = check_workspace(workspace, bytes);
  return checked != TILECAST_OK || workspace_bytes_ == 0 ? checked
                                                         : clear_on_device(workspace, stream);
}

template <class OpRequest>
PlanOf<OpRequest>::PlanOf(const OpRequest& request) : check_(request) {
  const LoadedGpu& gpu = gpu_of(request, gpu_name(request));
  const std::vector<Prediction> best =
      tilecast::forecast(request.problem, request, gpu, request.config ? 1 : kMostTried);
  for (std::size_t i = 0; i < best.size() && device_ == nullptr && why_not_runnable_.empty(); ++i) {
    if (can_deadlock(best[i].config)) {
      refuse_deadlock(to_text(best[i].config));
    }
    const auto& config = std::get<typename OpRequest::Config>(best[i].config);
    forecast_ = as_c(best[i]);
    try {
      device_ = make_device_plan(request, config);
      workspace_bytes_ = device_->workspace_bytes();
    } catch (const DeviceError& error) {
      if (!request.gpu) {
        throw;
      }
      why_not_runnable_ = error.what();
      workspace_bytes_ = tilecast::workspace_bytes(request, gpu.spec, config);
    } catch (const StatusError& error) {
      if (error.status() != TILECAST_UNSUPPORTED || i + 1 == best.size()) {
        throw;
      }
    }
  }
  TILECAST_ASSERT(device_ != nullptr || !why_not_runnable_.empty());
}

template <class OpRequest>
tilecast_status PlanOf<OpRequest>::run(const typename OpRequest::Arguments& arguments,
                                       void* stream) const noexcept {
  if (const tilecast_status checked = check_(arguments); checked != TILECAST_OK) {
    return checked;
  }
  if (const tilecast_status checked =
          check_workspace(arguments.workspace, arguments.workspace_bytes);
      checked != TILECAST_OK) {
    return checked;
  }
  return device_->run(arguments, stream);
}

template class PlanOf<GemmRequest>;
template class PlanOf<AttentionRequest>;

}  // namespace tilecast
