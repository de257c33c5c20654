// The question to `predict`, for one problem or for each of a list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "model/ops/config_pattern.h"
#include "model/predict/predict.h"

namespace tilecast {

/// The configurations of a file, one a line, whole or in part, each once; lines that begin with #
/// are comments. None where `path` is empty. Throws ConfigError that names the line.
std::vector<ConfigPattern> read_configs(const std::string& path);

struct Question {
  AnyProblem problem;
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  std::vector<AnySchedule> schedules = {};
  std::optional<ConfigPattern> config = {};
  std::vector<ConfigPattern> configs = {};  // a list to be ranked
  Effort effort = {};
  std::vector<GemmProblem> draws = {};  // of a routing
};

/// --method, --simulate and --threads.
Effort asked_effort(const Arguments& args);
/// --schedule, or those of CUTLASS's kernels where --format cutlass leaves them open. Throws
/// ConfigError that names the schedules of this GPU.
std::vector<AnySchedule> asked_schedules(const Arguments& args, const AnyProblem& problem,
                                         const GpuSpec& gpu);
/// The question to all of predict, explain, compare and emit, which therefore name one winner.
Question question_of(const Arguments& args, const GpuSpec& gpu);

Ranking rank(const Question& question, const GpuSpec& gpu, std::size_t keep);

}  // namespace tilecast
