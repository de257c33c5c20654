// The file that stores tuning results: one line of JSON per problem, device and driver:
//   {"device": "NVIDIA H200", "driver": 13000, "library": "0.2.0",
//    "problem": "4096x4096x4096 fp16 tn", "lda": 4096, "ldb": 4096, "epilogue": "none",
//    "candidates": [{"config": "...", "forecast_us": 118.2, "measured_us": 117.6}, ...]}
// with the fastest candidate first. The file is replaced atomically, so a reader never sees half of
// it. If two processes add lines at the same time, one may lose its line and measure again.
// Checked by: misuse_test.cpp (invalid files), run_test.cpp (reading back).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "library/attention_request.h"
#include "library/gemm_request.h"

namespace tilecast {

struct TunedCandidate {
  std::string config;  // canonical configuration
  double forecast_us, measured_us;
};

struct TunedProblem {
  std::string key;                         // the line without its candidates
  std::vector<TunedCandidate> candidates;  // at least one, fastest first
};

std::string tuned_key(const GemmRequest& request, const std::string& device, int driver);
std::string tuned_key(const AttentionRequest& request, const std::string& device, int driver);

/// Empty if the file does not exist. Throws FileError, or ConfigError `file:line: ...` for an
/// invalid line.
std::vector<TunedProblem> read_tuned(const std::filesystem::path& file);

/// Replaces the line with the same key. Throws like read_tuned.
void remember_tuned(const std::filesystem::path& file, const TunedProblem& problem);

}  // namespace tilecast
