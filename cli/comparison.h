// Our pick for a GEMM, cuBLASLt's time, and the bounds that no kernel passes. Checked by:
// compare_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_parts.h"
#include "model/predict/cublaslt.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

/// A time that no kernel passes at our pick's clock, by its name.
struct Roof {
  std::string name;
  Seconds time;
};

struct Comparison {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  Prediction ours;
  std::vector<Roof> roofs;               // the highest one first
  std::optional<CublasltTime> cublaslt;  // none where the library's time is not known
  std::string why_not;                   // then why

  /// cuBLASLt's time over ours, with our copies of operands.
  std::optional<double> gain() const;
  /// Whether some measured problem is like this one: else nothing is known of cuBLASLt's ratio.
  bool alike() const;
};

/// The first of the ranking. Throws ConfigError for another op than GEMM.
Comparison compare(const GpuSpec& gpu, const Ranking& ranking,
                   const std::filesystem::path& config_folder);

nlohmann::ordered_json comparison_object(const GpuSpec& gpu, const Comparison& comparison);
/// The verdict in two lines and a table, at most kLines of kColumns.
std::string comparison_text(const LoadedGpu& gpu, const Comparison& comparison);
inline constexpr std::string_view kComparedColumns =
    "config=/ours/config,time_us=/ours/time_us,interval_low_us=/ours/interval_us/0,"
    "interval_high_us=/ours/interval_us/1,limiter=/ours/limiter,extrapolated=/ours/extrapolated,"
    "cublaslt_us=/cublaslt/time_us,cublaslt_low_us=/cublaslt/interval_us/0,"
    "cublaslt_high_us=/cublaslt/interval_us/1,cublaslt_source=/cublaslt/source,"
    "cublaslt_over_ours=/cublaslt/over_ours,rows_alike=/cublaslt/rows_alike,"
    "tensor_roof_us=/roofs_us/tensor cores,dram_roof_us=/roofs_us/DRAM,"
    "launch_roof_us=/roofs_us/launch";
/// A row of a list, with a long problem on several lines, or the titles of its columns.
std::string comparison_row(const Comparison& comparison);
std::string comparison_titles();

}  // namespace tilecast
