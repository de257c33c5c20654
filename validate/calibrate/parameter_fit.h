// Numbers of a GPU file fitted to rows by least squares: parameters are logarithms of factors on
// the file's numbers, within their keys' ranges and as wide as was thought likely by kind of
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
  double prior_width;  // of the logarithm
};

/// The numbers of these sections that gpu_fields.h gives a prior's width, in its order.
std::vector<Parameter> parameters_of(GpuSpec spec,
                                     std::initializer_list<std::string_view> sections);

struct FittedConstant {
  std::string key;  // section.key
  std::string unit;
  double prior, value, standard_error;  // in the unit
  bool determined;                      // else the value is the prior's
  bool at_bound = false;                // the fit ended where its key's range does
  std::string most_correlated;          // with which other constant, and how much
  double correlation;
};

struct ParameterFit {
  GpuSpec gpu;                            // with the fitted numbers
  std::vector<FittedConstant> constants;  // of each parameter
  int evaluations;                        // of all rows
};

/// Of every row, the same number each time.
using ResidualsOf = std::function<std::vector<double>(const GpuSpec&)>;

/// `weights`: of each residual; `scale`: residuals beyond it count less.
ParameterFit fit_parameters(const LoadedGpu& gpu, const std::vector<Parameter>& parameters,
                            const ResidualsOf& residuals_of, const std::vector<double>& weights,
                            double scale);

/// Sets at_bound of constants by the numbers that `spec` was given.
void note_bounds(GpuSpec spec, std::vector<FittedConstant>& constants);

/// A line for each that is at a bound, for a table of them.
std::string bound_lines(const std::vector<FittedConstant>& constants);

}  // namespace tilecast
