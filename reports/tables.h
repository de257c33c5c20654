// Formatting helpers for a report's JSON.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "model/base/units.h"
#include "model/ops/any_op.h"
#include "validate/compare/shown_figures.h"

namespace tilecast {

using Json = nlohmann::ordered_json;

constexpr double kToGiga = 1e-9, kToKilo = 1e-3;

inline Json make_table(std::initializer_list<const char*> columns) {
  return {{"columns", columns}, {"rows", Json::array()}};
}

/// Rounds to five significant digits, which keeps pages small.
double shown_number(double value);

/// "8192x8192x512 bf16 nn"; fp16 and tn are omitted.
std::string problem_text(const AnyProblem& problem);

/// Returns TFLOPS of a GEMM; 0 for other ops.
double tflops_of(const AnyProblem& problem, Seconds time);

/// Returns the class of a problem by its dimensions:
///   memory: a copy or an addition       ragged: a dimension not a multiple of 64
///   decode: at most 64 rows or columns  small: at most 2 x 1536^3 operations
///   long K: K at least twice the longer side of C
///   short K: K at most an eighth of it   large: the rest
std::string problem_class(const AnyProblem& problem);

}  // namespace tilecast
