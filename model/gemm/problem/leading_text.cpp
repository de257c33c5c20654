#include "model/gemm/problem/leading_text.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr i64 kMostLeading = i64{1} << 38;  // limit of a tensor map: 2^40 bytes

struct NamedLeading {
  std::string_view name;
  i64 LeadingDimensions::*member;
};
constexpr NamedLeading kEach[] = {
    {"lda", &LeadingDimensions::a}, {"ldb", &LeadingDimensions::b}, {"ldc", &LeadingDimensions::c}};

}  // namespace

GemmProblem with_leading(GemmProblem problem, const LeadingDimensions& given) {
  const LeadingDimensions tight{sides_of_a(problem).columns, sides_of_b(problem).columns,
                                c_columns(problem)};
  for (const auto& [name, member] : kEach) {
    const i64 value = given.*member, least = tight.*member;
    refuse_if(value != 0 && (value < least || value > kMostLeading),
              "{} is {}: expected {} to {}, or 0", name, value, least, kMostLeading);
    problem.leading.*member = value == least ? 0 : value;
  }
  return problem;
}

std::string to_text(const LeadingDimensions& leading) {
  std::string text;
  for (const auto& [name, member] : kEach) {
    if (leading.*member != 0) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, leading.*member);
    }
  }
  return text;
}

std::string leading_words(const LeadingDimensions& leading) {
  const std::string text = to_text(leading);
  return text.empty() ? "" : " " + text;
}

i64 parse_leading(std::string_view name, std::string_view text) {
  const std::optional<i64> value = text.empty() ? 0 : parse_integer(text);
  refuse_if(!value || *value < 0 || *value > kMostLeading,
            "{}: expected a row stride in elements, or 0, got '{}'", name, on_one_line(text));
  return *value;
}

LeadingShape split_leading(std::string_view text) {
  LeadingShape found{text.substr(0, text.find(' ')), {}};
  if (found.shape.size() < text.size()) {
    for (const std::string_view word : split(text.substr(found.shape.size() + 1), ' ')) {
      refuse_if(!take_leading_word(word, found.leading),
                "shape '{}': expected lda=, ldb= or ldc= after it, got '{}'", on_one_line(text),
                on_one_line(word));
    }
  }
  return found;
}

bool take_leading_word(std::string_view word, LeadingDimensions& into) {
  for (const auto& [name, member] : kEach) {
    if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
      if (into.*member != 0) {
        throw ConfigError(fmt::format("{}: given twice, {} and {}", name, into.*member,
                                      on_one_line(word.substr(name.size() + 1))));
      }
      into.*member = parse_leading(name, word.substr(name.size() + 1));
      return true;
    }
  }
  return false;
}

}  // namespace tilecast
