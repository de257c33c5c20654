// A report's input with known rows, for the tests of this folder.
#pragma once

#include <vector>

#include "model/predict/predict.h"
#include "reports/report_input.h"
#include "validate/compare/example_points.h"

namespace tilecast {

/// Rows of the H200, predicted by the model. `more` is shown besides.
inline ReportInput example_input(const std::vector<Measurement>& rows,
                                 const std::vector<Measurement>& more = {}) {
  ReportInput input{.gpu = load_gpu("h200_sxm", false)};
  input.data = {example_file(rows)};
  if (!more.empty()) {
    input.more = {example_file(more)};
  }
  const Predictor predict = [&gpu = input.gpu.spec](const AnyProblem& problem,
                                                    const AnyConfig& config, Regime regime,
                                                    Inputs inputs) {
    return predict_config(gpu, problem, config, regime, inputs);
  };
  input.judged = join_points(input.data, predict, {"h200_sxm"});
  std::vector<MeasurementFile> all = input.data;
  all.insert(all.end(), input.more.begin(), input.more.end());
  input.pool = join_points(all, predict, {"h200_sxm"});
  input.command = "./tilecast report";
  input.gpu_options = "--gpu h200_sxm";
  input.data_options = "--gpu h200_sxm --data x.csv";
  return input;
}

/// Three configurations of two schedules on one problem, and cuBLASLt.
inline std::vector<Measurement> example_rows() {
  return {example_row(3, Seconds{200e-6}), example_row(4, Seconds{180e-6}),
          example_row(2, Seconds{190e-6}), example_cublaslt_row(kCublasltTop1, Seconds{189e-6}),
          example_cublaslt_row(kCublasltBest, Seconds{177e-6})};
}

}  // namespace tilecast
