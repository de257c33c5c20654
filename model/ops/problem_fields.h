// Reads and writes problems of every op by the fields of their tables (model/op/problem_field.h).
// Checked by: validate/record/measurement_csv_test.cpp, cli/read_problems_test.cpp.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/ops/any_op.h"

namespace tilecast {

/// Returns the names of the fields of all ops, each once, in the order of the tables: GEMM's first.
const std::vector<std::string_view>& problem_field_names();

/// Formats a field; empty if the op lacks it or it is at its default.
std::string field_text(const AnyProblem& problem, std::string_view name);
/// Sets the field and returns true if the op has it. Throws ConfigError for an invalid value.
bool read_field(AnyProblem& problem, std::string_view name, std::string_view text);

/// Throws ConfigError if no op accepts this string for the field.
void check_field(std::string_view name, std::string_view text);

/// Returns "--layout", or with an alias "--out-dtype,--dtype-c"; empty for a field without option.
std::string option_name(std::string_view field, const char* help);

/// Values of fields, as strings, by name.
using FieldTexts = std::map<std::string, std::string, std::less<>>;

/// Returns a problem of the op. Fields that `given` lacks are taken from `usual`, if they apply.
/// Throws ConfigError, also for a field of another op.
AnyProblem problem_of(Op op, std::string_view shape, ElementType dtype,
                      const FieldTexts& given = {}, const FieldTexts& usual = {});

}  // namespace tilecast
