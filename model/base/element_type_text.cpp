#include "model/base/element_type_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {

std::string_view to_text(ElementType type) { return traits_of(type).name; }

std::vector<std::string> other_words(ElementType type) {
  const std::vector<std::string_view> words = split(traits_of(type).others, ' ');
  return {words.begin(), words.end()};
}

ElementType parse_element_type(std::string_view text) {
  if (const std::optional<ElementType> type = element_type_named(text)) {
    return *type;
  }
  const std::vector<std::string> known{"fp16", "bf16", "e4m3", "fp8", "e5m2", "fp32"};
  throw ConfigError(
      fmt::format("unknown dtype '{}': expected fp16, bf16, e4m3 (or fp8), e5m2, or fp32 for "
                  "copies and additions{}",
                  on_one_line(text), did_you_mean(text, known)));
}

std::optional<ElementType> element_type_named(std::string_view text) {
  constexpr std::string_view kTorch = "torch.";  // prefix with which Python prints torch's types
  const std::string word = lower_case(text.starts_with(kTorch) ? text.substr(kTorch.size()) : text);
  for (i32 i = 0; i < kElementTypes; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (word == to_text(type) || std::ranges::count(other_words(type), word) > 0) {
      return type;
    }
  }
  return std::nullopt;
}

}  // namespace tilecast
