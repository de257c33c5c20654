// Fits section `attention` of a GPU file to measured attention kernels, and trains a correction of
// the residuals, as for GEMMs (fit_learned.h).
//
// Constants are fitted by least squares with a soft loss on the log of analytic cycles at measured
// clocks, starting from the GPU file's numbers or from the priors (AttentionSpec). Rows near the
// best of their problem count three times.
//
// Excludes: baselines, kernels that the model rejects, unverified rows, inputs other than normal.
// Checked by: fit_attention_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/spec/load_gpu.h"
#include "validate/calibrate/fit_learned.h"
#include "validate/calibrate/parameter_fit.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

struct AttentionFit {
  std::size_t rows, left_out;  // attention rows that were fitted to, and rows that were excluded
  int problems;
  std::vector<FittedConstant> constants;  // empty if kept
  double error_before, error_after;       // mean, of analytic cycles
  LearnedFit learned;
};

/// Changes `gpu` to the fitted numbers and the learned correction. Throws ConfigError if there are
/// too few rows or a row of another GPU.
AttentionFit fit_attention(LoadedGpu& gpu, const std::vector<MeasurementFile>& files,
                           bool fit_constants, unsigned threads,
                           const std::function<void(const std::string&)>& progress);

/// Text table.
std::string to_table(const AttentionFit& fit);

}  // namespace tilecast
