#include "library/plan.h"

#include <fmt/format.h>

#include <cstdint>
#include <variant>

#include "library/forecast.h"
#include "library/gpu_file.h"
#include "library/status.h"
#include "library/workspace.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/rules/split_rules.h"

namespace tilecast {
namespace {

constexpr std::uintptr_t kAlignment = 16, kBiasAlignment = 4;
constexpr std::size_t kMostTried = 8;  // candidate kernels; nearly all compile as intended

bool misaligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % kAlignment != 0;
}

tilecast_status invalid(const char* text) { return fail(TILECAST_INVALID_ARGUMENT, text); }

}  // namespace

std::string gpu_name(const Request& request) {
  if (request.gpu) {
    return *request.gpu;
  }
  try {
    return gpu_file_of(current_gpu(), request.config_folder);
  } catch (const DeviceError& error) {
    throw DeviceError(fmt::format("{}; options.gpu names a GPU to forecast for", error.what()));
  }
}

Plan::Plan(const Request& request)
    : alpha_beta_(request.scale == SumScale::kAlphaBeta),
      biased_(request.problem.epilogue.has(OutputKind::kBias)),
      scaled_operands_(request.problem.epilogue.has(OutputKind::kScale)),
      in_groups_(request.problem.groups != nullptr),
      block_scales_(has_block_scales(request.problem.epilogue)),
      loads_(request.problem.epilogue.has(OutputKind::kLoad)),
      scales_c_(request.problem.epilogue.has(OutputKind::kConvert)),
      finds_amax_(request.problem.epilogue.has(OutputKind::kAmax)) {
  const LoadedGpu& gpu = gpu_of(request, gpu_name(request));
  const std::vector<Prediction> best =
      tilecast::forecast(request, gpu, request.config ? 1 : kMostTried);
  for (std::size_t i = 0; i < best.size() && device_ == nullptr && why_not_runnable_.empty(); ++i) {
    const KernelConfig& config = std::get<KernelConfig>(best[i].config);
    if (needs_all_pieces_resident(config)) {
      refuse_spread(to_text(config));
    }
    forecast_ = as_c(best[i]);
    try {
      device_ = make_device_plan(request, config);
      workspace_bytes_ = device_->workspace_bytes();
    } catch (const DeviceError& error) {
      if (!request.gpu) {
        throw;
      }
      why_not_runnable_ = error.what();
      workspace_bytes_ =
          workspace_of(request.problem, config, resident_workers(gpu.spec, config)).bytes();
    } catch (const StatusError& error) {
      if (error.status() != TILECAST_UNSUPPORTED || i + 1 == best.size()) {
        throw;
      }
    }
  }
  TILECAST_ASSERT(device_ != nullptr || !why_not_runnable_.empty());
}

tilecast_status Plan::check_workspace(const void* workspace, std::size_t bytes) const noexcept {
  if (workspace_bytes_ != 0) {
    if (workspace == nullptr) {
      return invalid("the workspace is null; tilecast_plan_workspace says how large it must be");
    }
    if (misaligned(workspace)) {
      return invalid("the workspace is not 16-byte aligned");
    }
    if (bytes < workspace_bytes_) {
      return fail(TILECAST_WORKSPACE_TOO_SMALL,
                  "the workspace is smaller than tilecast_plan_workspace says");
    }
  }
  return device_ == nullptr ? fail(TILECAST_NO_DEVICE, why_not_runnable_) : TILECAST_OK;
}

tilecast_status Plan::clear(void* workspace, std::size_t bytes, void* stream) const noexcept {
  const tilecast_status checked = check_workspace(workspace, bytes);
  return checked != TILECAST_OK || workspace_bytes_ == 0 ? checked
                                                         : device_->clear(workspace, stream);
}

tilecast_status Plan::run(const tilecast_arguments& arguments, void* stream) const noexcept {
  const auto& [size, a, b, c, alpha, beta, workspace, workspace_bytes, bias, scale_a, scale_b,
               group_rows, residual, scale_c, amax] = arguments;
  if (a == nullptr || b == nullptr || c == nullptr) {
    return invalid(a == nullptr ? "a is null" : b == nullptr ? "b is null" : "c is null");
  }
  if (misaligned(a) || misaligned(b) || misaligned(c)) {
    return invalid(misaligned(a)   ? "a is not 16-byte aligned"
                   : misaligned(b) ? "b is not 16-byte aligned"
                                   : "c is not 16-byte aligned");
  }
  if (!alpha_beta_ && (alpha != 1 || beta != 0)) {
    return fail(TILECAST_UNSUPPORTED,
                "alpha must be 1 and beta 0: the problem's epilogue is TILECAST_EPILOGUE_NONE");
  }
  if (biased_ != (bias != nullptr)) {
    return invalid(biased_ ? "bias is null" : "bias is given, but the problem has none");
  }
  if (reinterpret_cast<std::uintptr_t>(bias) % kBiasAlignment != 0) {
    return invalid("bias is not 4-byte aligned");
  }
  if (scaled_operands_ != (scale_a != nullptr) || scaled_operands_ != (scale_b != nullptr)) {
    return invalid(scaled_operands_ ? "scale_a or scale_b is null"
                                    : "scale_a or scale_b is given, but the problem has no scales");
  }
  if ((reinterpret_cast<std::uintptr_t>(scale_a) | reinterpret_cast<std::uintptr_t>(scale_b)) %
          alignof(float) !=
      0) {
    return invalid("scale_a or scale_b is not 4-byte aligned");
  }
  if (block_scales_ && reinterpret_cast<std::uintptr_t>(scale_a) % kAlignment != 0) {
    return invalid("scale_a is not 16-byte aligned, as block scales must be");
  }
  if (in_groups_ != (group_rows != nullptr)) {
    return invalid(in_groups_ ? "group_rows is null"
                              : "group_rows is given, but the problem has no groups");
  }
  if (reinterpret_cast<std::uintptr_t>(group_rows) % alignof(std::int32_t) != 0) {
    return invalid("group_rows is not 4-byte aligned");
  }
  if (loads_ != (residual != nullptr)) {
    return invalid(loads_ ? "residual is null" : "residual is given, but the problem has none");
  }
  if (misaligned(residual)) {
    return invalid("residual is not 16-byte aligned");
  }
  if (scales_c_ != (scale_c != nullptr)) {
    return invalid(scales_c_ ? "scale_c is null" : "scale_c is given, but the problem has none");
  }
  if (finds_amax_ != (amax != nullptr)) {
    return invalid(finds_amax_ ? "amax is null" : "amax is given, but the problem has none");
  }
  if ((reinterpret_cast<std::uintptr_t>(scale_c) | reinterpret_cast<std::uintptr_t>(amax)) %
          alignof(float) !=
      0) {
    return invalid("scale_c or amax is not 4-byte aligned");
  }
  if (const tilecast_status checked = check_workspace(workspace, workspace_bytes);
      checked != TILECAST_OK) {
    return checked;
  }
  return device_->run(arguments, stream);
}

}  // namespace tilecast
