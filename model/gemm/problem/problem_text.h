// Formats and parses a GEMM problem: "4096x4096x512 e4m3->fp16 tn bias_n+gelu". Checked by:
// validate/record/committed_texts_test.cpp, any_op_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "model/gemm/problem/gemm_problem.h"
#include "model/op/op.h"

namespace tilecast {

constexpr Op op_of(const GemmProblem&) { return Op::kGemm; }
/// Returns the values of columns m, n and k.
inline std::array<i64, 3> sides_of(const GemmProblem& p) {
  return {p.shape.m, p.shape.n, p.shape.k};
}
inline void set_sides(GemmProblem& p, const std::array<i64, 3>& sides) {
  p.shape = {sides[0], sides[1], sides[2]};
}

/// Formats "8192x8192x512"; "32*1024x1024x512" for a batch, "[256,0,17]x4096x7168" for groups.
std::string shape_text(const GemmProblem& problem);
/// Formats shape, types, layout and, if present, exact accumulation, epilogue and leading
/// dimensions.
std::string to_text(const GemmProblem& problem);
/// Returns a seed for random choices of configurations; it differs between shapes.
u64 shape_seed(const GemmProblem& problem);

/// Parses a shape, optionally followed by leading dimensions (leading_text.h); everything else has
/// its default. Throws ConfigError.
GemmProblem gemm_of_shape(std::string_view text);
/// Inverse of to_text. The words after the shape may be in any order or missing; the defaults are
/// fp16, tn, fast and no epilogue. Throws ConfigError.
GemmProblem parse_gemm_problem(std::string_view text);

/// Parses C's type; nullopt if `text` is empty. Throws ConfigError.
std::optional<ElementType> parse_c_type(std::string_view text);
/// Returns `problem` with C of type `c`. Throws ConfigError if no kernel writes this type.
GemmProblem with_c_type(GemmProblem problem, ElementType c);
/// Returns `problem` with this accumulation. Throws ConfigError if it is not available: 16-bit
/// operands offer no choice, and block scales need exact accumulation.
GemmProblem with_accumulate(GemmProblem problem, Accumulate accumulate);
/// Returns "fast" or "exact" for fp8 operands, otherwise "".
std::string_view accumulate_text(const GemmProblem& problem);
/// Formats "bf16"; "e4m3", or "e4m3->fp16" if C's type is not the default.
std::string types_text(const GemmProblem& problem);
/// Returns C's type if it is not the default, otherwise "".
std::string c_type_text(const GemmProblem& problem);

}  // namespace tilecast
