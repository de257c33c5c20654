#include "model/ops/any_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/problem/batch_text.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"
#include "model/ops/config_pattern.h"
#include "model/ops/short_config_text.h"
#include "model/stream/stream_config_text.h"

namespace tilecast {
namespace {

constexpr i64 kMostElements = i64{1} << 40;

/// Of an op that moves `sides` numbers' worth of elements.
StreamProblem parse_stream_shape(Op op, std::string_view text, ElementType dtype) {
  std::vector<i64> sides;
  bool good = true;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<i64> side = parse_integer(part);
    good = good && side && *side >= 1 && *side <= kMostElements;
    sides.push_back(side.value_or(0));
  }
  if (!good || static_cast<i32>(sides.size()) != sides_of(op)) {
    throw ConfigError(fmt::format(
        "shape '{}': expected {}", on_one_line(text),
        op == Op::kMemcpy ? "a number of elements up to 2^40, such as 1073741824"
                          : "ROWSxCOLUMNS, two whole numbers up to 2^40, such as 32768x32768"));
  }
  return op == Op::kMemcpy ? StreamProblem{1, sides[0], dtype, op}
                           : StreamProblem{sides[0], sides[1], dtype, op};
}

std::string batch_prefix(const GemmProblem& problem) {
  return problem.batch.products > 1 ? to_text(problem.batch) + "*" : "";
}

GemmProblem parse_gemm_problem(std::string_view shape, ElementType dtype, Layout layout,
                               const Epilogue& epilogue) {
  const BatchedShape given = split_batch(shape);
  if (given.batch && given.shape.find('[') != given.shape.npos) {
    throw ConfigError(
        fmt::format("shape '{}': a batch of groups is not supported", on_one_line(shape)));
  }
  if (const std::optional<GroupedShape> groups = split_groups(shape)) {
    GemmShape sides;
    try {
      sides = parse_gemm_shape(groups->sides);
    } catch (const ConfigError&) {
      bad_groups_shape(shape);
    }
    return in_groups({sides, dtype, layout, epilogue}, groups->groups);
  }
  GemmProblem problem{parse_gemm_shape(given.shape), dtype, layout, epilogue};
  if (given.batch) {
    problem.batch = parse_batch(*given.batch);
  }
  return problem;
}

}  // namespace

std::vector<AnySchedule> every_schedule() {
  std::vector<AnySchedule> all(kEverySchedule.begin(), kEverySchedule.end());
  all.insert(all.end(), std::begin(kEveryStreamSchedule), std::end(kEveryStreamSchedule));
  return all;
}

Op op_of(const AnyProblem& problem) {
  const StreamProblem* stream = std::get_if<StreamProblem>(&problem);
  return stream != nullptr ? stream->op : Op::kGemm;
}

Op op_of(const AnySchedule& schedule) {
  const StreamSchedule* stream = std::get_if<StreamSchedule>(&schedule);
  return stream != nullptr ? op_of(*stream) : Op::kGemm;
}

ElementType dtype_of(const AnyProblem& problem) {
  return std::visit([](const auto& p) { return p.dtype; }, problem);
}

AnySchedule schedule_of(const AnyConfig& config) {
  return std::visit([](const auto& c) { return AnySchedule(c.schedule); }, config);
}

double least_bytes(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  return gemm != nullptr ? gemm_bytes(*gemm) : stream_bytes(std::get<StreamProblem>(problem));
}

std::string shape_text(const AnyProblem& problem) {
  if (const GemmProblem* gemm = std::get_if<GemmProblem>(&problem)) {
    const auto& [m, n, k] = gemm->shape;
    return gemm->groups == nullptr  ? batch_prefix(*gemm) + to_text(gemm->shape)
           : grouped_along_k(*gemm) ? fmt::format("{}x{}x[{}]", m, n, list_text(*gemm->groups))
                                    : fmt::format("[{}]x{}x{}", list_text(*gemm->groups), n, k);
  }
  const StreamProblem& stream = std::get<StreamProblem>(problem);
  return stream.op == Op::kMemcpy ? fmt::format("{}", stream.columns)
                                  : fmt::format("{}x{}", stream.rows, stream.columns);
}

std::string to_text(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm == nullptr) {
    return fmt::format("{} {}", shape_text(problem), to_text(dtype_of(problem)));
  }
  const std::string leading = to_text(gemm->leading);
  return fmt::format("{} {} {}{}{}{}", shape_text(problem), types_text(*gemm),
                     to_text(gemm->layout), gemm->accumulate == Accumulate::kExact ? " exact" : "",
                     fuses(gemm->epilogue) ? " " + to_text(gemm->epilogue) : "",
                     leading.empty() ? "" : " " + leading);
}

std::string to_text(const AnyConfig& config) {
  return std::visit([](const auto& c) { return to_text(c); }, config);
}

std::string_view to_text(const AnySchedule& schedule) {
  return std::visit([](const auto s) { return to_text(s); }, schedule);
}

AnyConfig parse_config(std::string_view given) {
  const std::string text = lower_case(given);
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  if (name.size() < text.size() && !schedule_abbreviated(name)) {
    return is_stream_schedule(name) ? AnyConfig(parse_stream_config(text))
                                    : AnyConfig(parse_kernel_config(text));
  }
  const std::optional<AnyConfig> whole = ConfigPattern(text).whole();
  if (!whole) {
    throw ConfigError(fmt::format(
        "configuration '{}': expected all of its parts; only predict, explain and emit choose "
        "what is left open",
        on_one_line(given)));
  }
  return *whole;
}

AnySchedule parse_schedule(Op op, std::string_view text) {
  const AnySchedule schedule = schedule_named(text, op);
  if (op_of(schedule) != op) {
    throw ConfigError(fmt::format("schedule '{}': it computes {}, not {}", on_one_line(text),
                                  to_text(op_of(schedule)), to_text(op)));
  }
  return schedule;
}

AnyProblem parse_problem(Op op, std::string_view shape, ElementType dtype, Layout layout,
                         const Epilogue& epilogue, std::optional<ElementType> c,
                         std::optional<Accumulate> accumulate) {
  const auto [sides, leading] = split_leading(shape);
  if (op == Op::kGemm) {
    GemmProblem problem = with_leading(parse_gemm_problem(sides, dtype, layout, epilogue), leading);
    problem = c ? with_c_type(problem, *c) : problem;
    return accumulate ? with_accumulate(problem, *accumulate) : problem;
  }
  if (leading != LeadingDimensions{}) {
    throw ConfigError(fmt::format("leading dimensions apply only to gemm, not to {}", to_text(op)));
  }
  if (c) {
    throw ConfigError(fmt::format("dtype_c applies only to gemm, not to {}", to_text(op)));
  }
  if (accumulate) {
    throw ConfigError(fmt::format("accumulate applies only to gemm, not to {}", to_text(op)));
  }
  if (split_batch(shape).batch) {
    throw ConfigError(fmt::format("a batch applies only to gemm, not to {}", to_text(op)));
  }
  if (is_narrow(dtype)) {
    throw ConfigError(
        fmt::format("dtype '{}': expected fp16, bf16 or fp32 for {}", to_text(dtype), to_text(op)));
  }
  return parse_stream_shape(op, shape, dtype);
}

GemmProblem parse_gemm_problem(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ' ');
  std::string_view types = to_text(ElementType::kFp16), c;
  Layout layout = Layout::kTn;
  Epilogue epilogue{};
  LeadingDimensions leading{};
  std::optional<Accumulate> accumulate;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::size_t arrow = word.find("->");
    if (word == to_text(Accumulate::kFast) || word == to_text(Accumulate::kExact)) {
      accumulate = parse_accumulate(word);
    } else if (std::ranges::any_of(kEveryLayout,
                                   [word](Layout known) { return word == to_text(known); })) {
      layout = parse_layout(word);
    } else if (arrow != word.npos || element_type_named(word)) {
      types = word.substr(0, arrow);
      c = arrow != word.npos ? word.substr(arrow + 2) : std::string_view();
    } else if (!take_leading_word(word, leading)) {
      epilogue = parse_epilogue(word);
    }
  }
  return with_leading(
      std::get<GemmProblem>(parse_problem(Op::kGemm, words.front(), parse_element_type(types),
                                          layout, epilogue, parse_c_type(c), accumulate)),
      leading);
}

std::optional<Accumulate> accumulate_asked(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(parse_accumulate(text));
}

std::optional<ElementType> parse_c_type(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const std::optional<ElementType> type = element_type_named(text);
  if (type != ElementType::kBf16 && type != ElementType::kFp16 && type != ElementType::kFp32 &&
      type != ElementType::kE4m3) {
    throw ConfigError(
        fmt::format("dtype_c '{}': expected bf16, fp16, fp32 or e4m3", on_one_line(text)));
  }
  return type;
}

GemmProblem with_c_type(GemmProblem problem, ElementType c) {
  const bool narrow = is_narrow(problem.dtype);
  const bool any = c == ElementType::kFp32 || c == ElementType::kE4m3;
  if (!any && (narrow ? c != ElementType::kFp16 && c != ElementType::kBf16 : c != problem.dtype)) {
    throw ConfigError(fmt::format("dtype_c '{}': expected {}, fp32 or e4m3 where A and B are {}",
                                  to_text(c), narrow ? "bf16, fp16" : to_text(problem.dtype),
                                  to_text(problem.dtype)));
  }
  problem.c = narrow || any ? c : GemmProblem{}.c;
  return problem;
}

GemmProblem with_accumulate(GemmProblem problem, Accumulate accumulate) {
  if (!is_fp8(problem.dtype)) {
    throw ConfigError(fmt::format("accumulate '{}': it applies to operands of fp8, not of {}",
                                  to_text(accumulate), to_text(problem.dtype)));
  }
  const bool exact_anyway = has_block_scales(problem.epilogue);
  if (exact_anyway && accumulate == Accumulate::kFast) {
    throw ConfigError("accumulate 'fast': with block scales sums are exact");
  }
  problem.accumulate = exact_anyway ? Accumulate::kFast : accumulate;
  return problem;
}

std::string_view accumulate_text(const GemmProblem& problem) {
  return !is_fp8(problem.dtype)
             ? ""
             : to_text(promotes(problem) ? Accumulate::kExact : Accumulate::kFast);
}

std::string types_text(const GemmProblem& problem) {
  const std::string c = c_type_text(problem);
  return std::string(to_text(problem.dtype)) + (c.empty() ? "" : "->" + c);
}

std::string c_type_text(const GemmProblem& problem) {
  const GemmProblem usual{problem.shape, problem.dtype, problem.layout};
  return c_type(problem) == c_type(usual) ? "" : std::string(to_text(c_type(problem)));
}

}  // namespace tilecast
