// predict.h for the memory-bound ops: candidates, closed forms and clock joined. They have no
// simulation: one was farther from the card for every schedule (validate/NOTEBOOK.md).
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/predict.h"
#include "model/predict/question.h"

namespace tilecast {

/// As predict_config. Throws ConfigError where the GPU file has no stream section.
Prediction predict_one(const StreamQuestion& question, const StreamConfig& config, Method method);

/// As rank_candidates, or as rank_matching of a `pattern` whose schedule is the only one; every
/// candidate is predicted. Throws as predict_stream.
Ranking rank_all(const StreamQuestion& question, const std::vector<StreamSchedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern);

}  // namespace tilecast
