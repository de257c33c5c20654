// The time of cuBLASLt's top heuristic, without a GPU: our forecast of the problem times the ratio
// that measured problems like it have.
//
//   ratio = exp(weighted mean of log(measured / our forecast)),  weight = exp(-distance^2 / 2)
//
// The distance is over the shape, how well 128- and 256-wide tiles fill the SMs, alignment, types,
// layout, batch and epilogue (features in cublaslt.cpp, each in units of its length). Two means: a
// wide one over problems of the kind, and a narrow one over near problems, which is pulled to the
// wide one by half a row. Where this very problem was measured, and our forecast of it is still the
// one that the row names, the answer is the measurement.
//
// The rows are in `configs`/gpus/NAME.cublaslt.csv (validate/cublaslt_rows.py writes it). A GPU
// without one takes the ratios of kRatiosOf. Leaves out: the choice of algorithm, so a heuristic's
// single bad pick is an error of this forecast; groups, which cuBLASLt has not.
// Checked by: cublaslt_test.cpp; there also on problems left out by folds.
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
  double ratio;             // over our forecast
  double like = 0;          // weight of near rows: 0 where no measured problem is like it
  bool measured = false;    // this problem was measured on this GPU
};

/// Measured problems of one GPU.
class CublasltRows {
 public:
  /// Measured on a GPU of `sms`. Throws FileError, or ConfigError `file:line: key: expectation`.
  CublasltRows(const std::filesystem::path& csv, int sms);

  /// On a GPU of `sms`; `own`: the one that was measured. `ours`: our forecast of the same problem,
  /// which has no groups, without copies of operands, since cuBLASLt makes none.
  CublasltTime forecast(const GemmProblem& problem, Regime regime, Seconds ours, int sms,
                        bool own) const;

  static constexpr std::size_t kFeatures = 18;
  using Features = std::array<double, kFeatures>;
  struct Row {
    GemmProblem problem;
    Regime regime;
    Seconds measured, forecast;
    double off;  // log of their ratio
    Features features;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  double usual_;  // median of all offsets
};

/// By the rows of the GPU, or of kRatiosOf, which are read once per process. Throws as the
/// constructor, and ConfigError for groups and for GPUs of other architectures than Hopper, whose
/// libraries were not measured.
CublasltTime cublaslt_time(const GpuSpec& gpu, const GemmProblem& problem, Regime regime,
                           Seconds ours, const std::filesystem::path& config_folder);

}  // namespace tilecast
