// Forecasts the time of cuBLASLt's top heuristic without a GPU: tilecast's forecast of the problem,
// times the ratio of similar measured problems.
//
//   ratio = exp(weighted mean of log(measured / tilecast's forecast)),  weight = exp(-distance^2 /
//   2)
//
// The distance covers shape, how well 128- and 256-wide tiles fill the SMs, alignment, types,
// layout, batch and epilogue (features in cublaslt.cpp, each divided by its length scale). Two
// means are combined: a wide one over problems of the same kind, and a narrow one over similar
// problems, shrunk towards the wide one with the weight of half a row. If the problem itself was
// measured, and tilecast's forecast of it still equals the row's, the result is the measurement.
//
// The rows are in `configs`/gpus/NAME.cublaslt.csv (validate/cublaslt_rows.py writes it). A GPU
// without that file takes the ratios of kRatiosOf. Not modelled: the choice of algorithm, so a
// heuristic's single bad pick is an error of this forecast; groups, which cuBLASLt does not
// support.
// Checked by: cublaslt_test.cpp; there also on held-out problems.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// GPU whose ratios serve GPUs without measured rows.
inline constexpr const char* kRatiosOf = "h200_sxm";

struct CublasltTime {
  Seconds time, low, high;  // 90 % interval
  double ratio;             // measured time over tilecast's forecast
  double like = 0;          // weight of similar rows: 0 if no measured problem is similar
  bool measured = false;    // this problem was measured on this GPU
};

/// Measured problems of one GPU.
class CublasltRows {
 public:
  /// `sms`: SM count of the measured GPU. Throws FileError, or ConfigError `file:line: key:
  /// expectation`.
  CublasltRows(const std::filesystem::path& csv, int sms);

  /// `sms`: SM count of the forecast's GPU; `own`: whether it is the measured GPU. `ours`:
  /// tilecast's time for the same problem, without operand copies (cuBLASLt makes none). The
  /// problem must not have groups.
  CublasltTime forecast(const GemmProblem& problem, Regime regime, Seconds ours, int sms,
                        bool own) const;

  static constexpr std::size_t kFeatures = 18;
  using Features = std::array<double, kFeatures>;
  struct Row {
    GemmProblem problem;
    Regime regime;
    Seconds measured, forecast;
    double off;  // log of measured time over tilecast's forecast
    Features features;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  double usual_;  // median of all offsets
};

/// Uses the rows of the GPU, or of kRatiosOf, which are read once per process. Throws whatever the
/// constructor throws, and ConfigError for groups and for architectures other than Hopper, whose
/// libraries were not measured.
CublasltTime cublaslt_time(const GpuSpec& gpu, const GemmProblem& problem, Regime regime,
                           Seconds ours, const std::filesystem::path& config_folder);

}  // namespace tilecast
