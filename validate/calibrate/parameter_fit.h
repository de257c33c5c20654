// Fits numbers of a GPU file to rows by least squares. Parameters are logarithms of factors on the
// file's numbers, within their keys' ranges, with a prior width that depends on the kind of
// constant (gpu_fields.cpp). Checked by: fit_constants_test.cpp, fit_stream_test.cpp.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/load_gpu.h"

namespace tilecast {

struct Parameter {
  std::string path;    // "section.key"
  double prior_width;  // width of the logarithm's prior
};

/// Returns the constants of these sections that have a prior width in gpu_fields.h, in the order of
/// that file.
std::vector<Parameter> parameters_of(GpuSpec spec,
                                     std::initializer_list<std::string_view> sections);

struct FittedConstant {
  std::string key;  // section.key
  std::string unit;
  double prior, value, standard_error;  // values in `unit`
  bool determined;                      // if false, the value is the prior
  bool at_bound = false;                // the fit ended at the bound of its range
  std::string most_correlated;          // the most correlated constant, and the correlation
  double correlation;
};

struct ParameterFit {
  GpuSpec gpu;                            // the GPU with the fitted numbers
  std::vector<FittedConstant> constants;  // one per parameter
  int evaluations;                        // passes over all rows
};

/// Returns one residual per row, always the same number of rows.
using ResidualsOf = std::function<std::vector<double>(const GpuSpec&)>;

/// `weights`: one per residual; residuals larger than `scale` are down-weighted.
ParameterFit fit_parameters(const LoadedGpu& gpu, const std::vector<Parameter>& parameters,
                            const ResidualsOf& residuals_of, const std::vector<double>& weights,
                            double scale);

/// A constant is determined if its standard error is below `share` of its prior's width.
void note_determined(const std::vector<Parameter>& parameters, double share, ParameterFit& fit);

/// Mean of |exp(-log) - 1|: the error of values with these logarithms of measured over predicted.
double mean_error(const std::vector<double>& logs);

/// Sets at_bound of the constants, from the numbers in `spec`.
void note_bounds(GpuSpec spec, std::vector<FittedConstant>& constants);

/// Formats one line per constant, for a table: prior, value, standard error and the strongest
/// correlation.
std::string constant_lines(const std::vector<FittedConstant>& constants);

/// Formats one line for each constant at a bound, for a table.
std::string bound_lines(const std::vector<FittedConstant>& constants);

/// Returns the section with these constants as the text of an overlay, made by `command` from rows
/// named `rows`; "" if the fit determined nothing.
std::string section_text(std::string_view section, const std::vector<FittedConstant>& constants,
                         const std::string& rows, const std::string& command);

/// Returns `overlay`, which belongs to the GPU `name` or is empty, with the section replaced by
/// `text`, or with `text` added.
std::string with_section(const std::string& overlay, const std::string& name,
                         std::string_view section, const std::string& text);

}  // namespace tilecast
