// Formatting helpers for a report's JSON.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

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

/// Returns a problem such as "8192x8192x512 bf16 nn"; fp16 and tn are omitted.
std::string problem_text(const AnyProblem& problem);

/// Returns TFLOPS of a GEMM; 0 for other ops.
double tflops_of(const AnyProblem& problem, Seconds time);

/// Kinds of problem and their definitions; the first that applies counts.
constexpr std::pair<const char*, const char*> kProblemClasses[] = {
    {"memory", "ops without a GEMM"},
    {"decode", "M or N is at most 64"},
    {"ragged", "a dimension is not a multiple of 64"},
    {"long K", "K is at least twice the larger of M and N"},
    {"small", "at most 2 x 1536^3 FLOPs"},
    {"short K", "K is at most an eighth of the larger of M and N"},
    {"large", "all others"}};

/// Returns the name of the problem's kind in kProblemClasses.
std::string problem_class(const AnyProblem& problem);

}  // namespace tilecast
