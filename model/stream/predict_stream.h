// Predicts and ranks memory-bound ops. Uses only the analytic model: a simulation had larger errors
// for every schedule (docs/dev/notebook/2026-11.md). Checked by: predict_stream_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/ops/config_pattern.h"
#include "model/rank/effort.h"
#include "model/rank/question.h"
#include "model/rank/why_impossible.h"
#include "model/stream/stream_config.h"

namespace tilecast {

using StreamQuestion = OpQuestion<StreamProblem>;

/// Throws ConfigError if the GPU file has no stream section, or the kernel is not legal.
Prediction predict_one(const StreamQuestion& question, const StreamConfig& config, Method method);

/// Returns the time of each configuration, infinite if it is not legal. Throws ConfigError if the
/// GPU file has no stream section.
std::vector<Seconds> closed_form_times(const StreamQuestion& question,
                                       std::span<const StreamConfig> configs);

/// Predicts every candidate. Throws the exceptions of predict_one.
Ranking rank_all(const StreamQuestion& question, const std::vector<StreamSchedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern);

LeastWork least_work(const GpuSpec& gpu, const StreamProblem& problem);

}  // namespace tilecast
