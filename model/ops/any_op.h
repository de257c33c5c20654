// Problems, configurations and schedules of every op, for code that serves all ops: rankings,
// measurements, suites. Behavior that differs by op is an overload for its types, called by
// any_op.cpp and visit_op. The alternatives of the three variants are in one order.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/attention/attention_text.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/op/op.h"
#include "model/stream/stream_config.h"

namespace tilecast {

using AnyProblem = std::variant<GemmProblem, StreamProblem, AttentionProblem>;
using AnyConfig = std::variant<KernelConfig, StreamConfig, AttentionConfig>;
using AnySchedule = std::variant<Schedule, StreamSchedule, AttentionSchedule>;

template <class T, class Variant>
struct PlaceIn;
template <class T, class... Others>
struct PlaceIn<T, std::variant<T, Others...>> : std::integral_constant<std::size_t, 0> {};
template <class T, class First, class... Others>
struct PlaceIn<T, std::variant<First, Others...>>
    : std::integral_constant<std::size_t, 1 + PlaceIn<T, std::variant<Others...>>::value> {};

template <class Problem>
using ConfigOf = std::variant_alternative_t<PlaceIn<Problem, AnyProblem>::value, AnyConfig>;
template <class Problem>
using ScheduleOf = std::variant_alternative_t<PlaceIn<Problem, AnyProblem>::value, AnySchedule>;

/// `visit(problem, config)` with both in their op's own types, which is one op.
template <class Visit>
auto visit_op(const AnyProblem& problem, const AnyConfig& config, const Visit& visit) {
  return std::visit(
      [&]<class Problem>(const Problem& own) {
        return visit(own, std::get<ConfigOf<Problem>>(config));
      },
      problem);
}

Op op_of(const AnyProblem& problem);
Op op_of(const AnySchedule& schedule);
/// Without sides, everything else as by default.
AnyProblem blank_problem(Op op);
ElementType dtype_of(const AnyProblem& problem);
void set_dtype(AnyProblem& problem, ElementType dtype);
/// As the columns m, n and k have them; 0 for a side that the op does not have.
std::array<i64, 3> sides_of(const AnyProblem& problem);
void set_sides(AnyProblem& problem, const std::array<i64, 3>& sides);
/// Normalizes explicit defaults, so that equal problems compare equal.
AnyProblem normal_problem(const AnyProblem& problem);
AnySchedule schedule_of(const AnyConfig& config);
/// Sides of the part of the result that a CTA writes, and its step along K; 1 without one.
std::array<i32, 3> tile_of(const AnyConfig& config);
/// Fewest bytes that solve the problem: inputs read once, the result written once.
double least_bytes(const AnyProblem& problem);
/// On tensor cores; 0 of an op that uses none.
double flops_of(const AnyProblem& problem);

/// GEMM's first.
std::vector<AnySchedule> every_schedule();

/// "8192x8192x512", "1000x2000" or "4096", as the op's sides are; "32*1024x1024x512" of a batch.
std::string shape_text(const AnyProblem& problem);
/// Shape, element type and the op's fields that do not go without saying.
std::string to_text(const AnyProblem& problem);
std::string to_text(const AnyConfig& config);
std::string_view to_text(const AnySchedule& schedule);
/// Another number for another shape, for draws of configurations.
u64 shape_seed(const AnyProblem& problem);

/// The op whose shapes have this number of dimensions.
Op op_of_shape(std::string_view shape);
/// A problem with this shape and type and defaults elsewhere. Throws ConfigError if `shape` is not
/// a shape of the op, or if the op does not support the type. See also problem_of
/// (problem_fields.h).
AnyProblem problem_of_shape(Op op, std::string_view shape, ElementType dtype);

/// Inverse of to_text; the word before the colon decides the op. Accepts the short text too
/// (short_config_text.h). Throws ConfigError that names the key and the expected value.
AnyConfig parse_config(std::string_view text);
/// By schedule_named (config_pattern.h). Throws ConfigError where `text` is no schedule of the op.
AnySchedule parse_schedule(Op op, std::string_view text);

}  // namespace tilecast
