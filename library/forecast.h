// The model's predictions for a request.
#pragma once

#include <tilecast/tilecast.h>

#include <span>
#include <string>
#include <vector>

#include "library/request.h"
#include "model/ops/any_op.h"
#include "model/rank/prediction.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

/// Returns the GPU file `name`, read once per process. Throws StatusError if no schedule runs on
/// that GPU.
const LoadedGpu& gpu_of(const Request& request, const std::string& name);

/// Whether the configuration's CTAs wait for each other, which plans do not support.
bool can_deadlock(const AnyConfig& config);
/// Throws StatusError with the reason.
[[noreturn]] void refuse_deadlock(const std::string& config);

/// Returns the `keep` fastest configurations (at least one) that a plan can run, or only
/// request.config if it is set. Throws StatusError (TILECAST_UNSUPPORTED) if no kernel solves the
/// problem, or if no plan can run a configuration that matches request.config; ConfigError if the
/// configuration cannot solve the problem.
std::vector<Prediction> forecast(const AnyProblem& problem, const Request& request,
                                 const LoadedGpu& gpu, std::size_t keep);

/// Returns the times of `configs`, in order (analytic_times). Throws StatusError if no kernel
/// solves the problem, and a ConfigError that names the place of a configuration that cannot be
/// read.
std::vector<Seconds> times_of(const AnyProblem& problem, const Request& request,
                              const LoadedGpu& gpu, std::span<const char* const> configs);

tilecast_forecast as_c(const Prediction& prediction);

}  // namespace tilecast
