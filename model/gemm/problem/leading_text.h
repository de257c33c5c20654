// Formats and parses leading dimensions such as "lda=8192 ldc=4104"; those of packed matrices are
// omitted. Checked by: leading_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Returns `problem` with these leading dimensions. Values equal to the packed row count as packed.
/// Throws ConfigError for one that is less than a row or more than 2^38.
GemmProblem with_leading(GemmProblem problem, const LeadingDimensions& given);

/// Formats leading dimensions; empty if all rows are packed.
std::string to_text(const LeadingDimensions& leading);

/// Formats the suffix of a shape: " lda=8192".
std::string leading_words(const LeadingDimensions& leading);

/// Parses a number; "0" or empty means packed. Throws a ConfigError that names `name`.
i64 parse_leading(std::string_view name, std::string_view text);

/// A shape with leading dimensions, such as "4096x4096x4095 lda=8192", in two parts.
struct LeadingShape {
  std::string_view shape;
  LeadingDimensions leading;
};
/// Splits a shape from its leading dimensions. Throws ConfigError for other words.
LeadingShape split_leading(std::string_view text);

/// Parses a word such as "lda=8192" into `into`; returns false if it is no such word. Throws
/// ConfigError for a bad value or a duplicate.
bool take_leading_word(std::string_view word, LeadingDimensions& into);

}  // namespace tilecast
