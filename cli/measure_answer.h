// The output of `measure SHAPE`: the top kernels and the vendor's, predicted and measured.
// Checked by: tests/cli/measure_answer_test.sh, on a machine without a GPU.
#pragma once

#include <string>
#include <vector>

#include "cli/measure_options.h"
#include "model/rank/prediction.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// The file of rows if --out is not given; it is removed at the end.
class TemporaryRows {
 public:
  TemporaryRows();
  ~TemporaryRows();
  TemporaryRows(const TemporaryRows&) = delete;
  TemporaryRows& operator=(const TemporaryRows&) = delete;

  std::string path() const { return folder_ + "/rows.csv"; }

 private:
  std::string folder_;
};

/// Returns the fastest kernels of different schedules and tiles, or the kernels that match
/// `options.configs`, without baselines.
std::vector<Prediction> kernels_to_measure(const MeasureOptions& options, const GpuSpec& gpu,
                                           const AnyProblem& problem);

/// Formats a row for each kernel and baseline, and a verdict of two lines.
std::string measured_answer(const GpuSpec& gpu, const AnyProblem& problem,
                            const std::vector<Prediction>& predicted,
                            const std::vector<Measurement>& rows);

}  // namespace tilecast
