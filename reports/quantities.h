// Numbers that several sections show of a problem, a row or a prediction, in the units of the page.
#pragma once

#include <optional>
#include <string>

#include "model/predict/prediction.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/any_op.h"
#include "reports/report.h"
#include "validate/compare/join.h"
#include "validate/compare/published.h"

namespace tilecast {

constexpr double kToMicros = 1e6, kToGigahertz = 1e-9, kToKilocycles = 1e-3, kToTera = 1e-12,
                 kToGigabytes = 1e-9, kToPercent = 100;

/// Of a GEMM; nothing of a copy or an addition.
std::optional<double> flops_of(const AnyProblem& problem);

std::optional<double> tflops(const AnyProblem& problem, Seconds time);

/// A time in the unit of a published figure; nothing of a hit rate.
std::optional<double> in_unit(FigureUnit unit, const AnyProblem& problem, Seconds time);

/// What bounds problems like this one, by their sides alone, in words for filters:
///   memory: a copy or an addition       ragged: a side that is no multiple of 64
///   decode: at most 64 rows or columns  small: at most 2 x 1536^3 operations
///   long K: K at least twice the longer side of C
///   short K: K at most an eighth of it   large: the rest
std::string shape_class(const AnyProblem& problem);

/// "8192x8192x512 nn": element type and layout where they are not the usual ones.
std::string problem_text(const AnyProblem& problem);

/// In few characters; see results_table.h.
std::string config_text(const AnyConfig& config);
std::string config_text(const std::string& canonical);

/// Joules for 10^12 operations under continuous load, static power included. Where the clock is
/// held clearly below what tensor work allows, the power is the cap's: the meter of a row scatters
/// by 10 % around it.
std::optional<double> joules_per_tflop(const GpuSpec& gpu, const Measurement& row);

/// Of a table with a column regime and a row: burst where it has that.
std::string first_regime(const DataTable& table);

}  // namespace tilecast
