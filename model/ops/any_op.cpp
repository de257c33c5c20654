#include "model/ops/any_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/problem_text.h"
#include "model/ops/config_pattern.h"
#include "model/ops/short_config_text.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_problem_text.h"

namespace tilecast {
namespace {

constexpr Op op_of(Schedule) { return Op::kGemm; }

double least_bytes(const GemmProblem& problem) { return gemm_bytes(problem); }
double least_bytes(const StreamProblem& problem) { return stream_bytes(problem); }

double flops_of(const GemmProblem& problem) { return gemm_flops(problem); }
double flops_of(const StreamProblem&) { return 0; }

std::array<i32, 3> tile_of(const KernelConfig& config) {
  return {config.tiling.block_m, config.tiling.block_n, config.tiling.block_k};
}
std::array<i32, 3> tile_of(const StreamConfig& config) {
  return {config.block_rows, config.block_columns, 1};
}

GemmProblem normal_problem(const GemmProblem& problem) {
  return with_leading(problem, problem.leading);
}
StreamProblem normal_problem(const StreamProblem& problem) { return problem; }

KernelConfig parse_own(Schedule, std::string_view text) { return parse_kernel_config(text); }
template <class Own>
auto parse_own(Own schedule, std::string_view text) {
  return parse_canonical(text, fixed_by_schedule(schedule));
}

void read_shape(Op, std::string_view shape, ElementType, GemmProblem& problem) {
  problem = gemm_of_shape(shape);
}
void read_shape(Op op, std::string_view shape, ElementType dtype, StreamProblem& problem) {
  refuse_if(is_narrow(dtype), "dtype '{}': expected fp16, bf16 or fp32 for {}", to_text(dtype),
            to_text(op));
  refuse_if(shape.find('*') != shape.npos, "a batch applies only to gemm, not to {}", to_text(op));
  problem = stream_of_shape(op, shape);
}

AnyConfig parse_canonical_config(std::string_view text) {
  for (const AnySchedule& schedule : every_schedule()) {
    if (to_text(schedule) == name_in(text)) {
      return std::visit([&](auto own) { return AnyConfig(parse_own(own, text)); }, schedule);
    }
  }
  return parse_kernel_config(text);  // throws the error
}

}  // namespace

std::vector<AnySchedule> every_schedule() {
  std::vector<AnySchedule> all(kEverySchedule.begin(), kEverySchedule.end());
  all.insert(all.end(), std::begin(kEveryStreamSchedule), std::end(kEveryStreamSchedule));
  all.insert(all.end(), std::begin(kEveryAttentionSchedule), std::end(kEveryAttentionSchedule));
  return all;
}

AnyProblem blank_problem(Op op) {
  switch (op) {
    case Op::kGemm:
      return GemmProblem{{}, ElementType::kFp16, Layout::kTn};
    case Op::kMemcpy:
    case Op::kElementwiseAdd:
      return StreamProblem{.dtype = ElementType::kFp16, .op = op};
    case Op::kAttention:
      return AttentionProblem{};
  }
  TILECAST_ASSERT(!"an op without a problem");
  return {};
}

Op op_of(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return op_of(own); }, problem);
}
Op op_of(const AnySchedule& schedule) {
  return std::visit([](auto own) { return op_of(own); }, schedule);
}
ElementType dtype_of(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return own.dtype; }, problem);
}
void set_dtype(AnyProblem& problem, ElementType dtype) {
  std::visit([&](auto& own) { own.dtype = dtype; }, problem);
}
std::array<i64, 3> sides_of(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return sides_of(own); }, problem);
}
void set_sides(AnyProblem& problem, const std::array<i64, 3>& sides) {
  std::visit([&](auto& own) { set_sides(own, sides); }, problem);
}
AnyProblem normal_problem(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return AnyProblem(normal_problem(own)); }, problem);
}
AnySchedule schedule_of(const AnyConfig& config) {
  return std::visit([](const auto& own) { return AnySchedule(own.schedule); }, config);
}
std::array<i32, 3> tile_of(const AnyConfig& config) {
  return std::visit([](const auto& own) { return tile_of(own); }, config);
}
double least_bytes(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return least_bytes(own); }, problem);
}
double flops_of(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return flops_of(own); }, problem);
}

std::string shape_text(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return shape_text(own); }, problem);
}
std::string to_text(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return to_text(own); }, problem);
}
std::string to_text(const AnyConfig& config) {
  return std::visit([](const auto& own) { return to_text(own); }, config);
}
std::string_view to_text(const AnySchedule& schedule) {
  return std::visit([](auto own) { return to_text(own); }, schedule);
}
u64 shape_seed(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return shape_seed(own); }, problem);
}

Op op_of_shape(std::string_view shape) {
  const auto sides = std::ranges::count(shape.substr(0, shape.find(' ')), 'x') + 1;
  for (const AnySchedule& schedule : every_schedule()) {
    if (traits_of(op_of(schedule)).parts == sides) {
      return op_of(schedule);
    }
  }
  throw ConfigError(fmt::format("shape '{}': expected MxNxK, ROWSxCOLUMNS or a number of elements",
                                on_one_line(shape)));
}

AnyProblem problem_of_shape(Op op, std::string_view shape, ElementType dtype) {
  AnyProblem problem = blank_problem(op);
  std::visit([&](auto& own) { read_shape(op, shape, dtype, own); }, problem);
  set_dtype(problem, dtype);
  return problem;
}

AnyConfig parse_config(std::string_view given) {
  const std::string text = lower_case(given);
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  if (name.size() < text.size() && !schedule_abbreviated(name)) {
    return parse_canonical_config(text);
  }
  const std::optional<AnyConfig> whole = ConfigPattern(text).whole();
  if (!whole) {
    throw ConfigError(
        fmt::format("configuration '{}': incomplete; every key is required here (predict, explain "
                    "and emit fill in missing keys)",
                    on_one_line(given)));
  }
  return *whole;
}

AnySchedule parse_schedule(Op op, std::string_view text) {
  const AnySchedule schedule = schedule_named(text, op);
  if (const std::string why = why_other_op(op, {&schedule, 1}); !why.empty()) {
    throw ConfigError(why);
  }
  return schedule;
}

std::string why_other_op(Op op, std::span<const AnySchedule> schedules) {
  const auto other = std::ranges::find_if(
      schedules, [op](const AnySchedule& schedule) { return op_of(schedule) != op; });
  return other == schedules.end() ? ""
                                  : fmt::format("schedule {} computes {}, not {}", to_text(*other),
                                                to_text(op_of(*other)), to_text(op));
}

}  // namespace tilecast
