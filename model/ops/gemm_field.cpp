#include "model/ops/gemm_field.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilecast {

std::string option_name(const GemmField& field) {
  std::string name = field.help == nullptr ? "" : fmt::format("--{}", field.name);
  std::ranges::replace(name, '_', '-');
  return name == "--dtype-c" ? "--out-dtype," + name : name;  // torch's out_dtype
}

AnyProblem problem_of(Op op, std::string_view shape, ElementType dtype, const FieldTexts& given,
                      const FieldTexts& usual) {
  const auto text_in = [](const FieldTexts& texts, std::string_view name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string_view() : std::string_view(found->second);
  };
  if (op != Op::kGemm) {
    std::string whole(shape);
    for (const std::string_view name : {"lda", "ldb", "ldc"}) {
      const std::string_view text = text_in(given, name);
      whole += text.empty() ? "" : fmt::format(" {}={}", name, text);
    }
    return parse_problem(op, whole, dtype, Layout::kTn, {}, parse_c_type(text_in(given, "dtype_c")),
                         accumulate_asked(text_in(given, "accumulate")));
  }
  const auto [sides, leading] = split_leading(shape);
  GemmProblem problem = std::get<GemmProblem>(parse_problem(op, sides, dtype, Layout::kTn));
  problem.leading = leading;
  for (const GemmField& field : kGemmFields) {
    const std::string_view own = text_in(given, field.name), other = text_in(usual, field.name);
    const bool counts = !other.empty() && (field.counts == nullptr || field.counts(problem, other));
    if (!own.empty() || counts) {
      field.read(problem, own.empty() ? other : own);
    }
  }
  return with_leading(problem, problem.leading);
}

}  // namespace tilecast
