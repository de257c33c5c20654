// Small pieces of strict text handling shared by the parsers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

std::vector<std::string_view> split(std::string_view text, char separator);

/// The whole text as a decimal integer; nothing for anything else, overflow included.
std::optional<i64> parse_integer(std::string_view text);

/// The whole text as a finite decimal number.
std::optional<double> parse_number(std::string_view text);

/// The candidate nearest to `word` by edit distance, if near enough to be a slip of the fingers.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean X?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// In small letters, of ASCII: how words that users write are compared.
std::string lower_case(std::string_view text);

std::string join(std::span<const std::string> words, std::string_view separator);

}  // namespace tilecast
