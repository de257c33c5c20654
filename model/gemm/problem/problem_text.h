// Text of a GEMM problem: "4096x4096x512 e4m3->fp16 tn bias_n+gelu".
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
/// The values of columns m, n and k.
inline std::array<i64, 3> sides_of(const GemmProblem& p) {
  return {p.shape.m, p.shape.n, p.shape.k};
}
inline void set_sides(GemmProblem& p, const std::array<i64, 3>& sides) {
  p.shape = {sides[0], sides[1], sides[2]};
}

/// "8192x8192x512"; "32*1024x1024x512" for a batch, "[256,0,17]x4096x7168" for groups.
std::string shape_text(const GemmProblem& problem);
/// Shape, types, layout and, if present, exact accumulation, epilogue and leading dimensions.
std::string to_text(const GemmProblem& problem);
/// Seed for random draws of configurations; differs between shapes.
u64 shape_seed(const GemmProblem& problem);

/// A problem with this shape, which leading dimensions may follow (leading_text.h), and defaults
/// for everything else. Throws ConfigError.
GemmProblem gemm_of_shape(std::string_view text);
/// Inverse of to_text. The words after the shape may be in any order or missing; the defaults are
/// fp16, tn, fast and no epilogue. Throws ConfigError.
GemmProblem parse_gemm_problem(std::string_view text);

/// nullopt if `text` is empty. Throws ConfigError.
std::optional<ElementType> parse_c_type(std::string_view text);
/// `problem` with C of type `c`. Throws ConfigError if no kernel writes this type.
GemmProblem with_c_type(GemmProblem problem, ElementType c);
/// `problem` with this accumulation. Throws ConfigError if it is not available: 16-bit operands
/// offer no choice, and block scales need exact accumulation.
GemmProblem with_accumulate(GemmProblem problem, Accumulate accumulate);
/// "fast" or "exact" for fp8 operands, otherwise empty.
std::string_view accumulate_text(const GemmProblem& problem);
/// "bf16"; "e4m3", or "e4m3->fp16" if C's type is not the default.
std::string types_text(const GemmProblem& problem);
/// C's type if it is not the default, otherwise empty.
std::string c_type_text(const GemmProblem& problem);

}  // namespace tilecast
