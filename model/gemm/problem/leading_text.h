// Leading dimensions as text: "lda=8192 ldc=4104", those of tight rows left out.
// Checked by: leading_text_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// `problem` with these; what a row has anyway counts as tight. Throws ConfigError for one that is
/// less than a row, or more than 2^38.
GemmProblem with_leading(GemmProblem problem, const LeadingDimensions& given);

/// Empty where all rows are tight.
std::string to_text(const LeadingDimensions& leading);

/// Behind a shape: " lda=8192".
std::string leading_words(const LeadingDimensions& leading);

/// Of a number, "0" or nothing: tight. Throws ConfigError that names `name`.
i64 parse_leading(std::string_view name, std::string_view text);

/// "4096x4096x4095 lda=8192" in two.
struct LeadingShape {
  std::string_view shape;
  LeadingDimensions leading;
};
/// Throws ConfigError for words that are none.
LeadingShape split_leading(std::string_view text);

/// Takes a word "lda=8192" into `into`; false where it is none. Throws ConfigError, also for one
/// that is there already.
bool take_leading_word(std::string_view word, LeadingDimensions& into);

}  // namespace tilecast
