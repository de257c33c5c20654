// Maps enumerators to their words in configuration strings, files and on the command line; case
// does not matter. If a value has several words, the first is written and the others are only read.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {

template <class Enum, std::size_t kCount>
using Words = std::array<std::pair<Enum, std::string_view>, kCount>;

template <class Enum, std::size_t kCount>
std::string_view word_of(const Words<Enum, kCount>& words, Enum value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) {
      return word;
    }
  }
  TILECAST_ASSERT(!"an enumerator without a word");
  return {};
}

template <class Enum, std::size_t kCount>
std::optional<Enum> find_value(const Words<Enum, kCount>& words, std::string_view text) {
  const std::string given = lower_case(text);
  for (const auto& [value, word] : words) {
    if (lower_case(word) == given) {
      return value;
    }
  }
  return std::nullopt;
}

template <class Enum, std::size_t kCount>
Enum value_of(const Words<Enum, kCount>& words, std::string_view what, std::string_view text) {
  if (const std::optional<Enum> value = find_value(words, text)) {
    return *value;
  }
  std::vector<std::string> known;
  for (const auto& [value, word] : words) {
    if (word == word_of(words, value)) {
      known.emplace_back(word);
    }
  }
  throw ConfigError("unknown " + std::string(what) + " '" + on_one_line(text) +
                    "': expected one of " + join(known, ", ") + did_you_mean(text, known));
}

}  // namespace tilecast
