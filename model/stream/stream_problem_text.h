// A memory-bound problem as text: "1073741824 fp32" of memcpy, "32768x32768 fp32" of
// elementwise_add.
// Checked by: any_op_test.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/op/problem_field.h"
#include "model/stream/stream_config.h"

namespace tilecast {

constexpr Op op_of(const StreamProblem& problem) { return problem.op; }
/// Columns m and n; memcpy has its elements in m.
std::array<i64, 3> sides_of(const StreamProblem& problem);
void set_sides(StreamProblem& problem, const std::array<i64, 3>& sides);
/// None: sides and type say all.
inline std::span<const ProblemField<StreamProblem>> fields_of(const StreamProblem&) { return {}; }

std::string shape_text(const StreamProblem& problem);
std::string to_text(const StreamProblem& problem);
/// Another number for another shape, for draws of configurations.
u64 shape_seed(const StreamProblem& problem);

/// Throws ConfigError where `shape` is none of the op's.
StreamProblem stream_of_shape(Op op, std::string_view shape);

}  // namespace tilecast
