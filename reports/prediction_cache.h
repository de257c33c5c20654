// Predictions cached in a file between runs. The key is a hash of everything that a prediction
// depends on: the model's sources, every constant of the GPU, problem, configuration, regime and
// inputs. A file that is not a cache, or is damaged, is an error; one with other fields is
// replaced, and a truncated last line is dropped. Checked by: prediction_cache_test.cpp.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "model/spec/load_gpu.h"
#include "validate/compare/join.h"

namespace tilecast {

class PredictionCache {
 public:
  /// Reads the file if it exists. An empty path keeps predictions in memory only. Throws FileError,
  /// or ConfigError `file:line: ...`.
  explicit PredictionCache(std::filesystem::path path);

  /// Returns the prediction from the cache, or calls `predict`; new predictions are written at
  /// once, so that a killed command loses none. `base` is from base_of. Errors are not cached.
  /// Thread-safe; `predict` runs concurrently. Throws FileError if the file cannot be written.
  Prediction get(u64 base, const AnyProblem& problem, const AnyConfig& config, Regime regime,
                 Inputs inputs, const Predictor& predict);

 private:
  void store(const std::string& key, const std::string& line);

  std::filesystem::path path_;
  std::mutex mutex_;                          // guards the members below
  std::map<std::string, std::string> lines_;  // by key; lines without the key
  std::ofstream file_;                        // open after the first addition
};

/// Hash of a GPU as loaded and of `model`, which identifies the model's code.
u64 base_of(const LoadedGpu& gpu, std::string_view model);

/// Hash of the model's sources, computed at build time.
std::string_view model_fingerprint();

}  // namespace tilecast
