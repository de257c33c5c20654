// predict --problems: many problems, one after the other, as they are read (cli/read_problems.h).
//
// The answers come in the order of the problems, each as soon as those before it are there: a line
// of JSON, or rows of a CSV. A problem that cannot be predicted has an `error` in its place. With
// --shard I/N every N-th problem from the I-th on, so that shards are alike; `index` counts the
// problems of the whole file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/read_problems.h"
#include "model/ops/config_pattern.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

struct ManyOptions {
  std::string problems, shard, format = "jsonl", gpu = "h200_sxm";
  ProblemDefaults defaults;
  std::optional<std::string> method;
  std::vector<std::string> schedules;
  std::vector<ConfigPattern> configs;  // to be ranked; empty: the search space
  std::size_t top = 1;
  std::optional<std::size_t> simulations;
  unsigned threads = 0;
  bool use_calibration = true;
};

/// The configurations of a file, one a line, whole or in part; lines that begin with # are
/// comments. None where `path` is empty. Throws ConfigError that names the line.
std::vector<ConfigPattern> read_configs(const std::string& path);

/// Throws Error(kPartial) at the end where problems could not be predicted.
void predict_many(const ManyOptions& options);

}  // namespace tilecast
