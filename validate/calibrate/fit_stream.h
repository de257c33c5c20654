// Fits section `stream` of a GPU file to measured copies and additions: the losses and overheads of
// memory-bound kernels that micro-benchmarks do not measure in isolation. Uses least squares on the
// log of analytic time with a soft loss; priors are the GPU file's numbers. Rates, latencies and
// the rest of the section are kept.
//
// The fit uses fp32 rows; 16-bit rows only check it, unless there are almost no fp32 rows. The
// interval is the 90th percentile of the rows' errors, each row predicted by a fit to other rows:
// the other half of the configurations, or fp32.
//
// Excludes: baselines, kernels that the model rejects, unverified rows. Checked by:
// fit_stream_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/spec/load_gpu.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

struct StreamFit {
  std::size_t rows, checked,
      left_out;  // rows that were fitted to; rows of other types; rows that were used for neither
  std::vector<FittedConstant> constants;  // the interval comes last
  double error_before, error_after;       // mean over the fitted rows
  double error_left_out;                  // mean error; each row is predicted by a fit without it
};

/// Changes `gpu` to the fitted numbers. Throws ConfigError if there are too few rows, if a row
/// belongs to another GPU, or if the GPU has no section stream.
StreamFit fit_stream(LoadedGpu& gpu, const std::vector<MeasurementFile>& files);

/// Text table.
std::string to_table(const StreamFit& fit);

}  // namespace tilecast
