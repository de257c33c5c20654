#include "model/gemm/problem/problem_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/batch_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"

namespace tilecast {

std::string shape_text(const GemmProblem& problem) {
  const auto& [m, n, k] = problem.shape;
  if (problem.groups != nullptr) {
    return grouped_along_k(problem) ? fmt::format("{}x{}x[{}]", m, n, list_text(*problem.groups))
                                    : fmt::format("[{}]x{}x{}", list_text(*problem.groups), n, k);
  }
  const std::string batch = problem.batch.products > 1 ? to_text(problem.batch) + "*" : "";
  return batch + to_text(problem.shape);
}

std::string to_text(const GemmProblem& problem) {
  const std::string leading = to_text(problem.leading);
  return fmt::format("{} {} {}{}{}{}", shape_text(problem), types_text(problem),
                     to_text(problem.layout),
                     problem.accumulate == Accumulate::kExact ? " exact" : "",
                     fuses(problem.epilogue) ? " " + to_text(problem.epilogue) : "",
                     leading.empty() ? "" : " " + leading);
}

u64 shape_seed(const GemmProblem& problem) {
  constexpr u64 kPrime = 1'000'003;
  const GemmShape& shape = problem.shape;
  u64 groups = 0;
  if (problem.groups != nullptr) {
    for (const i64 rows : problem.groups->rows()) {
      groups = groups * kPrime + static_cast<u64>(rows);
    }
    groups += static_cast<u64>(problem.groups->capacity());
    groups += grouped_along_k(problem) ? kPrime : 0;
  }
  return groups + static_cast<u64>(problem.batch.products - 1) * kPrime * kPrime * kPrime +
         ((static_cast<u64>(shape.m) * kPrime) + static_cast<u64>(shape.n)) * kPrime +
         static_cast<u64>(shape.k);
}

GemmProblem gemm_of_shape(std::string_view text) {
  const auto& [shape, leading] = split_leading(text);
  const BatchedShape given = split_batch(shape);
  refuse_if(given.batch && given.shape.find('[') != given.shape.npos,
            "shape '{}': a batch of groups is not supported", on_one_line(shape));
  if (const std::optional<GroupedShape> groups = split_groups(shape)) {
    GemmShape sides;
    try {
      sides = parse_gemm_shape(groups->sides);
    } catch (const ConfigError&) {
      bad_groups_shape(shape);
    }
    return with_leading(in_groups({sides, ElementType::kFp16, Layout::kTn}, groups->groups),
                        leading);
  }
  GemmProblem problem{parse_gemm_shape(given.shape), ElementType::kFp16, Layout::kTn};
  if (given.batch) {
    problem.batch = parse_batch(*given.batch);
  }
  return with_leading(problem, leading);
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
  GemmProblem problem = gemm_of_shape(words.front());
  problem.dtype = parse_element_type(types);
  problem.layout = layout;
  problem.epilogue = epilogue;
  if (const std::optional<ElementType> given = parse_c_type(c)) {
    problem = with_c_type(problem, *given);
  }
  return with_leading(accumulate ? with_accumulate(problem, *accumulate) : problem, leading);
}

std::optional<ElementType> parse_c_type(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const std::optional<ElementType> type = element_type_named(text);
  refuse_if(type != ElementType::kBf16 && type != ElementType::kFp16 &&
                type != ElementType::kFp32 && type != ElementType::kE4m3,
            "dtype_c '{}': expected bf16, fp16, fp32 or e4m3", on_one_line(text));
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
  refuse_if(!is_fp8(problem.dtype), "accumulate '{}': applies only to fp8 operands, not {}",
            to_text(accumulate), to_text(problem.dtype));
  const bool exact_anyway = has_block_scales(problem.epilogue);
  refuse_if(exact_anyway && accumulate == Accumulate::kFast,
            "accumulate 'fast': not available with block scales, which always accumulate in fp32");
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
