// predict.h for GEMM: candidates, closed forms and clock joined.
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/predict.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

struct GemmWatch;

/// As predict_config, on a GPU that runs the schedules. `watch`, if not null, sees what is
/// simulated (simulated_gemm.h).
Prediction predict_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Regime regime, Inputs inputs, Method method, GemmWatch* watch = nullptr);

/// As rank_candidates, or as rank_matching of a `pattern` whose schedule is the only one, on a GPU
/// that runs the schedules; `effort` names a method.
Ranking rank_gemms(const GpuSpec& gpu, const GemmProblem& problem,
                   const std::vector<Schedule>& schedules, Regime regime, Inputs inputs,
                   std::size_t keep, Effort effort, const ConfigPattern* pattern = nullptr);

}  // namespace tilecast
