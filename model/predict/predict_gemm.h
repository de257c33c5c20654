// predict.h for GEMM: candidates, closed forms and clock joined.
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/predict.h"
#include "model/predict/question.h"

namespace tilecast {

struct SimulatedGemm;

/// As predict_config. `watch`: as by_simulation (simulated_gemm.h).
Prediction predict_one(const GemmQuestion& question, const KernelConfig& config, Method method,
                       SimulatedGemm* watch = nullptr);

/// As rank_candidates, or as rank_matching of a `pattern` whose schedule is the only one; `effort`
/// names a method.
Ranking rank_all(const GemmQuestion& question, const std::vector<Schedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern);

}  // namespace tilecast
