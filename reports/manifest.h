// The files that a report is made from, as a list of its own: reports/h200.yaml.
//
//   gpu: h200_sxm
//   data: [...]            the model is judged by these rows
//   fixed: [...]           the baseline of one configuration for everything; not ranked
//   more: [...]            shown besides: the ladder's rows, splits, published schedules
//   counters: [...]        of kernels profiled in runs of their own
//   split: FILE            which rows of data a fit may see; the headline is of the judge's part
//   ladder: FILE           the rungs
//   published: FILE        figures of public documents
//   timelines: [{file:, shape:, config:}, ...]
//   deviations: FILE       excluded: FILE
//
// Only gpu and data must be there. Paths are as they would be on a command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/strict_map.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct TimelineFile {
  std::string file;
  GemmProblem problem;
  KernelConfig config;
};

struct Manifest {
  std::string gpu;
  std::vector<std::string> data, fixed, more, counters;
  std::string split, ladder, published, deviations, excluded;  // empty: none
  std::vector<TimelineFile> timelines;
};

/// Throw FileError, or ConfigError `file:line: key: what was expected`.
Manifest load_manifest(const std::filesystem::path& path);
Manifest parse_manifest(const StrictValue& root);

}  // namespace tilecast
