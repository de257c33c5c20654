#include "model/ops/problem_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/base/error.h"
#include "model/gemm/problem/gemm_fields.h"
#include "model/stream/stream_problem_text.h"

namespace tilecast {
namespace {

/// Calls `visit` with the problem, converted to its op's type, and each of its fields.
template <class Any, class Visit>
void for_each_field(Any& problem, const Visit& visit) {
  std::visit(
      [&](auto& own) {
        for (const auto& field : fields_of(own)) {
          visit(own, field);
        }
      },
      problem);
}

/// Throws ConfigError if the field belongs to another op and is not at its default.
void refuse_field(Op op, std::string_view name, std::string_view text) {
  for (const AnySchedule& schedule : every_schedule()) {
    const AnyProblem blank = blank_problem(op_of(schedule));
    for_each_field(blank, [&](const auto&, const auto& field) {
      if (field.name == name && field.usual != text) {
        throw ConfigError(fmt::format("{} applies only to {}, not to {}", name,
                                      to_text(op_of(schedule)), to_text(op)));
      }
    });
  }
}

std::string_view text_in(const FieldTexts& texts, std::string_view name) {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

const std::vector<std::string_view>& problem_field_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const AnySchedule& schedule : every_schedule()) {
      const AnyProblem blank = blank_problem(op_of(schedule));
      for_each_field(blank, [&](const auto&, const auto& field) {
        if (std::ranges::find(all, field.name) == all.end()) {
          all.push_back(field.name);
        }
      });
    }
    return all;
  }();
  return names;
}

std::string field_text(const AnyProblem& problem, std::string_view name) {
  std::string text;
  for_each_field(problem, [&](const auto& own, const auto& field) {
    if (field.name == name) {
      text = field.text(own);
    }
  });
  return text;
}

bool read_field(AnyProblem& problem, std::string_view name, std::string_view text) {
  bool has = false;
  for_each_field(problem, [&](auto& own, const auto& field) {
    if (field.name == name) {
      field.read(own, text);
      has = true;
    }
  });
  return has;
}

void check_field(std::string_view name, std::string_view text) {
  std::optional<ConfigError> why;
  for (const AnySchedule& schedule : every_schedule()) {
    AnyProblem blank = blank_problem(op_of(schedule));
    set_dtype(blank, ElementType::kE4m3);  // an fp8 GEMM has every field
    try {
      if (read_field(blank, name, text)) {
        return;
      }
    } catch (const ConfigError& error) {
      why = error;
    }
  }
  throw why.value();
}

std::string option_name(std::string_view field, const char* help) {
  std::string name = help == nullptr ? "" : fmt::format("--{}", field);
  std::ranges::replace(name, '_', '-');
  return name == "--dtype-c" ? "--out-dtype," + name : name;  // alias, torch's out_dtype
}

AnyProblem problem_of(Op op, std::string_view shape, ElementType dtype, const FieldTexts& given,
                      const FieldTexts& usual) {
  AnyProblem problem = problem_of_shape(op, shape, dtype);
  for (const auto& [name, text] : given) {
    bool known = text.empty();
    for_each_field(problem, [&](const auto&, const auto& field) { known |= field.name == name; });
    if (!known) {
      refuse_field(op, name, text);
    }
  }
  for_each_field(problem, [&](auto& own, const auto& field) {
    const std::string_view text = text_in(given, field.name), other = text_in(usual, field.name);
    const bool counts = !other.empty() && (field.counts == nullptr || field.counts(own, other));
    if (!text.empty() || counts) {
      field.read(own, text.empty() ? other : text);
    }
  });
  return normal_problem(problem);
}

}  // namespace tilecast
