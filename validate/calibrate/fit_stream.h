// Fits section `stream` of a GPU file, what memory-bound kernels lose and spend beyond what the
// micro-benchmarks measure alone, to measured copies and additions: least squares of the logarithm
// of closed-form time with a soft loss, priors the GPU file's numbers. Rates, latencies and the
// rest of the section keep their numbers.
//
// The fit sees fp32 rows; those of 16-bit types only check it, unless there is hardly an fp32 row.
// The interval is what 90 % of the rows' errors stay within, each row predicted by a fit that did
// not see it: of the other half of the configurations, or of fp32.
//
// Leaves out: baselines, kernels that the model refuses, rows that are not right.
// Checked by: fit_stream_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/spec/load_gpu.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

struct StreamFit {
  std::size_t rows, checked, left_out;    // fitted to, of other types, neither
  std::vector<FittedConstant> constants;  // the interval is the last
  double error_before, error_after;       // mean, of the rows fitted to
  double error_left_out;                  // mean, each row by a fit that did not see it
};

/// Rows that fit_stream would take.
std::size_t stream_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files);

/// Changes `gpu` to the fitted numbers. Throws ConfigError where there are too few rows, a row is
/// of another GPU, or the GPU has no section stream.
StreamFit fit_stream(LoadedGpu& gpu, const std::vector<MeasurementFile>& files);

/// The section as an overlay has it, made by `command`; "" where the fit found nothing.
std::string stream_section_text(const StreamFit& fit, const std::string& command);

/// `overlay`, of the GPU `name` or "", with its section stream replaced by `section` or added.
std::string with_stream_section(const std::string& overlay, const std::string& name,
                                const std::string& section);

/// For people.
std::string to_table(const StreamFit& fit);

}  // namespace tilecast
