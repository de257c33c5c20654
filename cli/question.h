// The query of `predict`, for one problem or for each problem of a list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "model/ops/config_pattern.h"
#include "model/predict/predict.h"

namespace tilecast {

/// Configurations of a file, and the line of each, counted from 1.
struct ListedConfigs {
  std::vector<ConfigPattern> configs;
  std::vector<std::size_t> lines;
};
/// Reads the configurations of a file, or of standard input for -, one per line, complete or
/// partial, each once; lines that begin with # are comments. Returns an empty list if `path` is
/// empty. Throws a ConfigError that names the line.
ListedConfigs read_configs(const std::string& path);
/// Returns the configurations of --configs, or several ones of --config, which count as lines.
ListedConfigs asked_configs(const Arguments& args);

struct Question {
  AnyProblem problem;
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  std::vector<AnySchedule> schedules = {};
  std::optional<ConfigPattern> config = {};
  ListedConfigs listed = {};
  Effort effort = {};
  std::vector<GemmProblem> draws = {};  // random routings
};

/// Reads --method, --simulate, --threads and --objective.
Effort asked_effort(const Arguments& args);
/// Reads --schedule; if it is not given, --format cutlass implies the schedules of CUTLASS's
/// kernels. Throws a ConfigError that names the schedules of this GPU.
std::vector<AnySchedule> asked_schedules(const Arguments& args, const AnyProblem& problem,
                                         const GpuSpec& gpu);
/// Builds the query of predict, explain, compare and emit, which therefore agree on the winner.
Question question_of(const Arguments& args, const GpuSpec& gpu);

Ranking rank(const Question& question, const GpuSpec& gpu, std::size_t keep);

}  // namespace tilecast
