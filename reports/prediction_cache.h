// Predictions kept in a file from run to run. A key is a hash of everything that a prediction is
// made of: the model's sources, every constant of the GPU, problem, configuration, regime and
// inputs. A file that is not a cache, or is damaged, is an error; one of other fields is made anew,
// and a last line that was cut off is left out. Checked by: prediction_cache_test.cpp.
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
  /// Reads the file, where it exists. An empty path keeps predictions in memory alone. Throws
  /// FileError, or ConfigError `file:line: ...`.
  explicit PredictionCache(std::filesystem::path path);

  /// From the cache, or by `predict`; what is new goes to the file at once, so that a killed
  /// command loses none. `base`: see base_of. A refusal is not kept. May be called on several
  /// threads; `predict` runs on them at the same time. Throws FileError where the file cannot be
  /// written.
  Prediction get(u64 base, const AnyProblem& problem, const AnyConfig& config, Regime regime,
                 Inputs inputs, const Predictor& predict);

 private:
  void store(const std::string& key, const std::string& line);

  std::filesystem::path path_;
  std::mutex mutex_;                          // of what follows
  std::map<std::string, std::string> lines_;  // by key, without it
  std::ofstream file_;                        // open once something new was stored
};

/// Of a GPU as it was loaded, and of `model`, which stands for the model's own code.
u64 base_of(const LoadedGpu& gpu, std::string_view model);

/// A hash of the model's sources, taken when the program was built.
std::string_view model_fingerprint();

}  // namespace tilecast
