// The top pick for a GEMM or attention, the time of cuBLASLt or cuDNN, and the rooflines that no
// kernel can beat. Checked by:
// compare_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_parts.h"
#include "model/predict/library_time.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

/// A named lower bound of the time at the pick's clock; without a calibration, at the highest.
struct Roof {
  std::string name;
  Seconds time;
};

struct Comparison {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  Prediction ours;
  std::vector<Roof> roofs;             // highest bound first
  std::optional<LibraryTime> library;  // not set if the library's time is unknown
  std::string why_not;                 // reason if library is none

  /// Name of the library: cuBLASLt or cuDNN.
  std::string name() const { return std::string(library_name(op_of(problem))); }
  /// The library's time divided by tilecast's, which includes operand copies.
  std::optional<double> gain() const;
  /// Whether some measured problem is similar: otherwise the library's ratio is unknown.
  bool alike() const;
};

/// Compares the first of the ranking. Throws ConfigError if the op has no library.
Comparison compare(const GpuSpec& gpu, const Ranking& ranking,
                   const std::filesystem::path& config_folder);

nlohmann::ordered_json comparison_object(const GpuSpec& gpu, const Comparison& comparison);
/// Formats the verdict in two lines and a table, at most kLines of kColumns.
std::string comparison_text(const LoadedGpu& gpu, const Comparison& comparison);
inline constexpr std::string_view kComparedColumns =
    "config=/ours/config,time_us=/ours/time_us,interval_low_us=/ours/interval_us/0,"
    "interval_high_us=/ours/interval_us/1,limiter=/ours/limiter,extrapolated=/ours/extrapolated,"
    "cublaslt_us=/cublaslt/time_us,cublaslt_low_us=/cublaslt/interval_us/0,"
    "cublaslt_high_us=/cublaslt/interval_us/1,cublaslt_source=/cublaslt/source,"
    "cublaslt_over_ours=/cublaslt/over_ours,rows_alike=/cublaslt/rows_alike,"
    "tensor_roof_us=/roofs_us/tensor cores,dram_roof_us=/roofs_us/DRAM,"
    "launch_roof_us=/roofs_us/launch,"
    "cudnn_us=/cudnn/time_us,cudnn_low_us=/cudnn/interval_us/0,"
    "cudnn_high_us=/cudnn/interval_us/1,cudnn_source=/cudnn/source,"
    "cudnn_over_ours=/cudnn/over_ours,cudnn_rows_alike=/cudnn/rows_alike";
/// Formats a row of a list, with a long problem on several lines, or the titles of its columns.
std::string comparison_row(const Comparison& comparison);
std::string comparison_titles();

}  // namespace tilecast
