// The input files of a report: reports/h200.yaml.
//
//   gpu: h200_sxm
//   data: [...]            measurements that the model is tested on
//   split: FILE            restricts them to held-out problems
//   fixed: [...]           measurements for the single fixed configuration; not ranked
//   whole_space: [...]     kernels that predict picked from its whole search space, timed with the
//                          fastest known
//   waves: {data: [...], config: TEXT}            one configuration over many N
//   timelines: [{file:, shape:, config:}, ...]    recorded kernels
//   layers: FILE           times of decoder layers, written by validate/decoder_layers.py --json
//
// Only gpu and data are required. Paths are relative to the working directory.
// Checked by: manifest_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/strict_map.h"

namespace tilecast {

struct TimelineFile {
  std::string file;
  GemmProblem problem;
  KernelConfig config;
};

struct WaveFiles {
  std::vector<std::string> data;
  KernelConfig config;
};

struct Manifest {
  std::string gpu;
  std::vector<std::string> data, fixed, whole_space;
  std::string split;   // split file; empty if there is none
  std::string layers;  // times of decoder layers; likewise
  std::optional<WaveFiles> waves;
  std::vector<TimelineFile> timelines;
};

/// These throw FileError, or ConfigError `file:line: key: expectation`.
Manifest load_manifest(const std::filesystem::path& path);
Manifest parse_manifest(const StrictValue& root);

}  // namespace tilecast
