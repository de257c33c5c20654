// Strict text parsing shared by the parsers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

std::vector<std::string_view> split(std::string_view text, char separator);

/// Parses the whole text as a decimal integer; none for any other text or overflow.
std::optional<i64> parse_integer(std::string_view text);

/// Parses the whole text as a finite decimal number.
std::optional<double> parse_number(std::string_view text);

/// Candidate closest to `word` by edit distance, if close enough to be a typo.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean X?", or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// ASCII lower case, for case-insensitive comparison.
std::string lower_case(std::string_view text);

std::string join(std::span<const std::string> words, std::string_view separator);

}  // namespace tilecast
