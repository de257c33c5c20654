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
/// --schedule, or those of CUTLASS's kernels where --format cutlass leaves them open.
std::vector<AnySchedule> asked_schedules(const Arguments& args, const AnyProblem& problem);

Ranking rank(const Question& question, const GpuSpec& gpu, std::size_t keep);

}  // namespace tilecast
