// Problems, configurations and schedules of every op, for code that serves all ops: rankings,
// measurements, suites. Behaviour that differs between ops is in overloads for their types, which
// any_op.cpp and visit_op call. The alternatives of the three variants are in one order.
#pragma once

#include <array>
#include <span>
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

/// Calls `visit(problem, config)` with both converted to the types of their common op.
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
/// Returns a problem with all dimensions 0 and default fields.
AnyProblem blank_problem(Op op);
ElementType dtype_of(const AnyProblem& problem);
void set_dtype(AnyProblem& problem, ElementType dtype);
/// Returns columns m, n and k; 0 for a dimension that the op does not have.
std::array<i64, 3> sides_of(const AnyProblem& problem);
void set_sides(AnyProblem& problem, const std::array<i64, 3>& sides);
/// Normalizes explicit defaults, so that equal problems compare equal.
AnyProblem normal_problem(const AnyProblem& problem);
AnySchedule schedule_of(const AnyConfig& config);
/// Returns rows and columns of the result per CTA, and its step along K (1 without K).
std::array<i32, 3> tile_of(const AnyConfig& config);
/// Compulsory DRAM traffic in bytes: inputs read once, the result written once.
double least_bytes(const AnyProblem& problem);
/// FLOPs on tensor cores; 0 for an op without them.
double flops_of(const AnyProblem& problem);

/// Returns the schedules of all ops, GEMM's first.
std::vector<AnySchedule> every_schedule();

/// Formats the shape by the op's dimensions: "8192x8192x512", "1000x2000" or "4096";
/// "32*1024x1024x512" for a batch.
std::string shape_text(const AnyProblem& problem);
/// Formats shape, element type and the op's fields that are not at their defaults.
std::string to_text(const AnyProblem& problem);
std::string to_text(const AnyConfig& config);
std::string_view to_text(const AnySchedule& schedule);
/// Returns a seed that depends on the shape, for random configurations.
u64 shape_seed(const AnyProblem& problem);

/// Returns the op whose shapes have this number of dimensions.
Op op_of_shape(std::string_view shape);
/// Returns a problem with this shape and type and defaults elsewhere. Throws ConfigError if `shape`
/// is not a shape of the op, or if the op does not support the type. See also problem_of
/// (problem_fields.h).
AnyProblem problem_of_shape(Op op, std::string_view shape, ElementType dtype);

/// Inverse of to_text; the word before the colon selects the op. Accepts the short form too
/// (short_config_text.h). Throws a ConfigError that names the key and the expected value.
AnyConfig parse_config(std::string_view text);
/// Parses a schedule with schedule_named (config_pattern.h). Throws ConfigError if `text` is not a
/// schedule of the op.
AnySchedule parse_schedule(Op op, std::string_view text);
/// Returns the message for the first schedule of another op; empty if there is none.
std::string why_other_op(Op op, std::span<const AnySchedule> schedules);

}  // namespace tilecast
