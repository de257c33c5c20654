// Problems, configurations and schedules of every op, for what serves them all alike: rankings,
// measurements, suites. What differs by op is a function with an overload for each, which
// visit_op calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/op/op.h"
#include "model/stream/stream_config.h"

namespace tilecast {

using AnyProblem = std::variant<GemmProblem, StreamProblem>;
using AnyConfig = std::variant<KernelConfig, StreamConfig>;
using AnySchedule = std::variant<Schedule, StreamSchedule>;

template <class Problem>
using ConfigOf =
    std::conditional_t<std::is_same_v<Problem, GemmProblem>, KernelConfig, StreamConfig>;
template <class Problem>
using ScheduleOf = decltype(ConfigOf<Problem>::schedule);

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
ElementType dtype_of(const AnyProblem& problem);
AnySchedule schedule_of(const AnyConfig& config);
/// Fewest bytes that solve the problem: inputs read once, the result written once.
double least_bytes(const AnyProblem& problem);

/// GEMM's first.
std::vector<AnySchedule> every_schedule();

/// "8192x8192x512", "1000x2000" or "4096", as the op's sides are; "32*1024x1024x512" of a batch.
std::string shape_text(const AnyProblem& problem);
/// Shape, element type and, where it has them, layout, exact sums and epilogue.
std::string to_text(const AnyProblem& problem);
std::string to_text(const AnyConfig& config);
std::string_view to_text(const AnySchedule& schedule);

/// Inverse of to_text; the word before the colon says which op's configuration it is. Takes the
/// short text too (short_config_text.h). Throws ConfigError that names the key and what was
/// expected.
AnyConfig parse_config(std::string_view text);
/// By schedule_named (config_pattern.h). Throws ConfigError where `text` is no schedule of the op.
AnySchedule parse_schedule(Op op, std::string_view text);
/// Behind a GEMM's shape its leading dimensions may stand (leading_text.h). `layout`, `epilogue`
/// and `c` count for GEMM only: C's type, of which the default is bf16 for fp8 operands and theirs
/// for others; so does `accumulate`, of fp8 operands. Throws ConfigError where `shape` is none of
/// the op's, or where it has no such types.
AnyProblem parse_problem(Op op, std::string_view shape, ElementType dtype, Layout layout,
                         const Epilogue& epilogue = {}, std::optional<ElementType> c = {},
                         std::optional<Accumulate> accumulate = {});
/// Inverse of to_text for a GEMM. Behind the shape words may stand in any order or be missing:
/// fp16, tn, fast, no epilogue. Throws ConfigError.
GemmProblem parse_gemm_problem(std::string_view text);
/// None where `text` is empty. Throws ConfigError.
std::optional<ElementType> parse_c_type(std::string_view text);
/// None where `text` is empty. Throws ConfigError.
std::optional<Accumulate> accumulate_asked(std::string_view text);
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
