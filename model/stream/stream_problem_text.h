// Formats and parses a memory-bound problem: "1073741824 fp32" for memcpy, "32768x32768 fp32" for
// elementwise_add. Checked by: any_op_test.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/op/problem_field.h"
#include "model/stream/stream_config.h"

namespace tilecast {

constexpr Op op_of(const StreamProblem& problem) { return problem.op; }
/// Returns columns m and n; m is the number of elements for memcpy.
std::array<i64, 3> sides_of(const StreamProblem& problem);
void set_sides(StreamProblem& problem, const std::array<i64, 3>& sides);
/// Returns no fields: the problem has only dimensions and type.
inline std::span<const ProblemField<StreamProblem>> fields_of(const StreamProblem&) { return {}; }

std::string shape_text(const StreamProblem& problem);
std::string to_text(const StreamProblem& problem);
/// Returns a seed that depends on the shape, for random configurations.
u64 shape_seed(const StreamProblem& problem);

/// Parses a shape. Throws ConfigError if `shape` is not a shape of the op.
StreamProblem stream_of_shape(Op op, std::string_view shape);

}  // namespace tilecast
