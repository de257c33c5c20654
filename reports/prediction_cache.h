// Predictions kept in a file, so that a report is written again without making them again. A key is
// a hash of everything that a prediction is made of: the model's sources, every constant of the
// GPU, problem, configuration, regime and inputs; what has another key is another prediction.
// A file that is not a cache, or is damaged, is an error; a missing one is an empty cache, and a
// last line that was cut off is left out.
// Checked by: prediction_cache_test.cpp.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "model/spec/load_gpu.h"
#include "validate/compare/join.h"

namespace tilecast {

class PredictionCache {
 public:
  /// Throws FileError, or ConfigError `file:line: ...`.
  static PredictionCache read(const std::filesystem::path& path);
  static PredictionCache parse(std::string_view text, std::string_view name);

  /// What `predict` says, from the cache where it holds it. `base`: see base_of. A refusal is not
  /// kept. May be called on several threads; `predict` runs on them at the same time.
  Prediction get(u64 base, const AnyProblem& problem, const AnyConfig& config, Regime regime,
                 Inputs inputs, const Predictor& predict);

  /// From now on each prediction that is made goes to this file at once, so that a killed report
  /// loses none. Without any the file is left as it is. `get` throws FileError where that fails.
  void store_in(const std::filesystem::path& path) { path_ = path; }

  /// What was asked for since the cache was read, by key; what nobody asked for is left out.
  std::string text() const;
  std::size_t made() const { return made_; }  // predictions that it did not hold

 private:
  /// The line of this key, from now on in use; nothing where there is none.
  const std::string* find(const std::string& key);
  void store(const std::string& key, const std::string& line);

  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // of what follows
  std::map<std::string, std::string> kept_;                             // line without its key
  std::map<std::string, std::string> used_;
  std::size_t made_ = 0;
  std::filesystem::path path_;  // empty: nowhere
  std::ofstream file_;          // behind the lines that it had
};

/// Of a GPU as it was loaded, and of `model`, which stands for the model's own code.
u64 base_of(const LoadedGpu& gpu, std::string_view model);

/// A hash of the model's sources, taken when the program was built.
std::string_view model_fingerprint();

}  // namespace tilecast
