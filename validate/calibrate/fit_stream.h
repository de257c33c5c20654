// Fits section `stream` of a GPU file to measured copies and additions: the losses and overheads of
// memory-bound kernels that micro-benchmarks do not measure in isolation. Least squares on the log
// of analytic time with a soft loss; priors are the GPU file's numbers. Rates, latencies and the
// rest of the section are kept.
//
// The fit uses fp32 rows; those of 16-bit types only check it, unless there are almost no fp32
// rows. The interval is the 90th percentile of the rows' errors, each row predicted by a fit
// without it: on the other half of the configurations, or on fp32.
//
// Leaves out: baselines, kernels that the model rejects, unverified rows. Checked by:
// fit_stream_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/spec/load_gpu.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

struct StreamFit {
  std::size_t rows, checked, left_out;    // fitted to; of other types; neither
  std::vector<FittedConstant> constants;  // the interval is last
  double error_before, error_after;       // mean over the fitted rows
  double error_left_out;                  // mean, each row by a fit without it
};

/// Number of rows that fit_stream would use.
std::size_t stream_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files);

/// Changes `gpu` to the fitted numbers. Throws ConfigError with too few rows, a row of another GPU,
/// or a GPU without section stream.
StreamFit fit_stream(LoadedGpu& gpu, const std::vector<MeasurementFile>& files);

/// The section as an overlay text, made by `command`; "" if the fit determined nothing.
std::string stream_section_text(const StreamFit& fit, const std::string& command);

/// `overlay`, of the GPU `name` or "", with section stream replaced by `section` or added.
std::string with_stream_section(const std::string& overlay, const std::string& name,
                                const std::string& section);

/// Text table.
std::string to_table(const StreamFit& fit);

}  // namespace tilecast
