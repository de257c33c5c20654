// Our pick for a GEMM, cuBLASLt's time, and the bounds that no kernel passes. Checked by:
// compare_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "model/predict/cublaslt.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

struct Comparison {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  Prediction ours;
  std::optional<CublasltTime> cublaslt;  // none where the library's time is not known
  std::string why_not;                   // then why

  /// cuBLASLt's time over ours.
  std::optional<double> gain() const;
};

/// A bound of `ours`, at its clock, by its name.
struct Roof {
  const char* name;
  Seconds time;
};
/// The highest one first.
std::vector<Roof> roofs_of(const Comparison& comparison);

/// Throws as rank_candidates, and ConfigError for another op than GEMM.
Comparison compare(const GpuSpec& gpu, const AnyProblem& problem, Regime regime, Inputs inputs,
                   const Effort& effort, const std::filesystem::path& config_folder);

nlohmann::ordered_json comparison_object(const GpuSpec& gpu, const Comparison& comparison);
/// The verdict in two lines and a table, at most kLines of kColumns.
std::string comparison_text(const LoadedGpu& gpu, const Comparison& comparison);
/// A row of a list, or the titles of its columns.
std::string comparison_row(const Comparison& comparison);
std::string comparison_titles();

}  // namespace tilecast
