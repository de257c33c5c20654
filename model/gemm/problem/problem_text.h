// A GEMM's problem as text: "4096x4096x512 e4m3->fp16 tn bias_n+gelu".
// Checked by: validate/record/committed_texts_test.cpp, any_op_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "model/gemm/problem/gemm_problem.h"
#include "model/op/op.h"

namespace tilecast {

constexpr Op op_of(const GemmProblem&) { return Op::kGemm; }
/// Columns m, n and k.
inline std::array<i64, 3> sides_of(const GemmProblem& p) {
  return {p.shape.m, p.shape.n, p.shape.k};
}
inline void set_sides(GemmProblem& p, const std::array<i64, 3>& sides) {
  p.shape = {sides[0], sides[1], sides[2]};
}

/// "8192x8192x512"; "32*1024x1024x512" of a batch, "[256,0,17]x4096x7168" of groups.
std::string shape_text(const GemmProblem& problem);
/// Shape, types, layout and, where it has them, exact sums, epilogue and leading dimensions.
std::string to_text(const GemmProblem& problem);
/// Another number for another shape, for draws of configurations.
u64 shape_seed(const GemmProblem& problem);

/// A problem of this shape, behind which its leading dimensions may stand (leading_text.h); the
/// rest is as by default. Throws ConfigError.
GemmProblem gemm_of_shape(std::string_view text);
/// Inverse of to_text. Behind the shape words may stand in any order or be missing: fp16, tn, fast,
/// no epilogue. Throws ConfigError.
GemmProblem parse_gemm_problem(std::string_view text);

/// None where `text` is empty. Throws ConfigError.
std::optional<ElementType> parse_c_type(std::string_view text);
/// `problem` with C of type `c`. Throws ConfigError where no kernel has such a C.
GemmProblem with_c_type(GemmProblem problem, ElementType c);
/// `problem` with sums that are added up so. Throws ConfigError where they are not: of 16-bit
/// operands nothing is to be chosen, with block scales they are exact.
GemmProblem with_accumulate(GemmProblem problem, Accumulate accumulate);
/// "fast" or "exact" of fp8 operands; else empty.
std::string_view accumulate_text(const GemmProblem& problem);
/// "bf16"; "e4m3", or "e4m3->fp16" where C's type does not go without saying.
std::string types_text(const GemmProblem& problem);
/// C's type as text where it is not the one that goes without saying; else empty.
std::string c_type_text(const GemmProblem& problem);

}  // namespace tilecast
