// The query of `predict`, for one problem or for each problem of a list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/predict_output.h"
#include "model/ops/config_pattern.h"
#include "model/predict/predict.h"

namespace tilecast {

/// Configurations of a file, and the line of each, counted from 1.
struct ListedConfigs {
  std::vector<ConfigPattern> configs;
  std::vector<std::size_t> lines;
  std::vector<UnrankedLine> unread = {};
};
/// Reads the configurations of a file, or of standard input for -, one per line, complete or
/// partial, each once; lines that begin with # are comments. Names each line that cannot be read on
/// standard error. Returns an empty list if `path` is empty. Throws a ConfigError if no line can be
/// read.
ListedConfigs read_configs(const std::string& path);
/// Throws ExitCode::kPartial if a line could not be read.
void require_all_read(const ListedConfigs& listed);
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
  bool cutlass = false;                 // ranks only kernels that CUTLASS has
};

/// Reads --method, --simulate, --threads and --objective.
Effort asked_effort(const Arguments& args);
/// Reads --schedule. Throws a ConfigError that names the schedules of this GPU, and one if it has
/// no kernels of CUTLASS for --format cutlass.
std::vector<AnySchedule> asked_schedules(const Arguments& args, const AnyProblem& problem,
                                         const GpuSpec& gpu);
/// Builds the query of predict, explain, compare and emit, which therefore agree on the winner.
Question question_of(const Arguments& args, const GpuSpec& gpu);

Ranking rank(const Question& question, const GpuSpec& gpu, std::size_t keep);

}  // namespace tilecast
