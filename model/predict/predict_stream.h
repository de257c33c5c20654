// predict.h for the memory-bound ops: candidates, closed forms and clock joined. They have no
// simulation: one was farther from the card for every schedule (validate/NOTEBOOK.md).
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/predict.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// As predict_config. Throws ConfigError where the GPU file has no stream section.
Prediction predict_stream(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config, Regime regime, Inputs inputs);

/// As rank_candidates, or as rank_matching of a `pattern` whose schedule is the only one; every
/// candidate is predicted. Throws as predict_stream.
Ranking rank_streams(const GpuSpec& gpu, const StreamProblem& problem,
                     const std::vector<StreamSchedule>& schedules, Regime regime, Inputs inputs,
                     std::size_t keep, const ConfigPattern* pattern = nullptr);

}  // namespace tilecast
