// What tuning remembers: a text file, a line of JSON for each problem on a device with a driver:
//   {"device": "NVIDIA H200", "driver": 13000, "library": "0.2.0",
//    "problem": "4096x4096x4096 fp16 tn", "lda": 4096, "ldb": 4096, "epilogue": "none",
//    "candidates": [{"config": "...", "forecast_us": 118.2, "measured_us": 117.6}, ...]}
// the fastest candidate first. The file is replaced as a whole, so a reader never sees half of it;
// of two processes that add at the same time one may lose its line, and measures again.
// Checked by: misuse_test.cpp (what is no such file), run_test.cpp (what is found again).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "library/request.h"

namespace tilecast {

struct TunedCandidate {
  std::string config;  // canonical text
  double forecast_us, measured_us;
};

struct TunedProblem {
  std::string key;                         // the line without its candidates
  std::vector<TunedCandidate> candidates;  // at least one, fastest first
};

std::string tuned_key(const Request& request, const std::string& device, int driver);

/// Of no file: none. Throws FileError, or ConfigError `file:line: ...` for a line that is not of
/// tuning.
std::vector<TunedProblem> read_tuned(const std::filesystem::path& file);

/// In the place of the line that the key has. Throws as read_tuned.
void remember_tuned(const std::filesystem::path& file, const TunedProblem& problem);

}  // namespace tilecast
