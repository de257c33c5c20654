// Forecasts the time of a vendor library's top heuristic without a GPU, cuBLASLt's for GEMMs and
// cuDNN's for attention: tilecast's forecast of the problem, times the ratio of similar measured
// problems.
//
//   ratio = exp(weighted mean of log(measured / tilecast's forecast)),  weight = exp(-distance^2 /
//   2)
//
// The distance covers shape, alignment, types and options (features in library_time.cpp, each
// divided by its length scale). Two means are combined: a wide one over problems of the same kind,
// and a narrow one over similar problems; the wide mean counts in the narrow one with the weight of
// half a row. cuDNN's uneven distribution of a few causal tiles (unevenness in library_time.cpp) is
// taken off before averaging, and added again. If the problem itself was measured, and tilecast's
// forecast of it still equals the one stored in the row, the result is the measurement.
//
// The rows are in `configs`/gpus/NAME.LIBRARY.csv (validate/library_rows.py writes it). A GPU
// without that file takes the ratios of kRatiosOf. Not modelled: the choice of algorithm, so a
// heuristic's single bad pick is an error of this forecast; groups, which cuBLASLt does not
// support. Checked by: library_time_test.cpp, also on held-out problems.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// GPU whose ratios are used for GPUs without measured rows.
inline constexpr const char* kRatiosOf = "h200_sxm";

/// Returns the library that is measured next to kernels of the op: "cublaslt" or "cudnn"; empty if
/// there is none.
std::string_view library_of(Op op);
/// Returns its name in text.
std::string_view library_name(Op op);

struct LibraryTime {
  Seconds time, low, high;  // 90 % interval
  double ratio;             // measured time over tilecast's forecast
  double like = 0;          // weight of similar rows: 0 if no measured problem is similar
  bool measured = false;    // this problem was measured on this GPU
  std::optional<AnyProblem> nearest = {};  // the most similar measured problem of a forecast
  double nearest_ratio = 1;
};

/// Alignment in bytes of the rows of A, B and C, in pitch and length, at most 16. cuBLASLt's
/// kernels with wgmma need 16.
std::array<i32, 3> row_alignments(const GemmProblem& problem);

/// Measured problems of one GPU and op.
class LibraryRows {
 public:
  /// `sms`: SM count of the measured GPU. Throws FileError, or ConfigError `file:line: key:
  /// expectation`.
  LibraryRows(Op op, const std::filesystem::path& csv, int sms);

  /// `sms`: SM count of the forecast's GPU; `own`: whether the rows were measured on it. `ours`:
  /// tilecast's time for the same problem, without operand copies (libraries make none).
  LibraryTime forecast(const AnyProblem& problem, Regime regime, Seconds ours, int sms,
                       bool own) const;

  static constexpr std::size_t kFeatures = 18;
  using Features = std::array<double, kFeatures>;
  struct Row {
    AnyProblem problem;
    Regime regime;
    Seconds measured, forecast;
    double off;  // log of measured time over tilecast's forecast, without known_ratio
    Features features;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  double usual_;  // median of all offsets
};

/// Uses the rows of the GPU, or else of kRatiosOf; they are read once per process. Throws the
/// exceptions of the constructor. Also throws ConfigError for ops without a library, for groups,
/// and for architectures other than Hopper, on which libraries were not measured.
LibraryTime library_time(const GpuSpec& gpu, const AnyProblem& problem, Regime regime, Seconds ours,
                         const std::filesystem::path& config_folder);

}  // namespace tilecast
