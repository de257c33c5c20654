// Strict parsing of strings, shared by the parsers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

std::vector<std::string_view> split(std::string_view text, char separator);

/// Parses the whole string as a decimal integer; std::nullopt for other strings and on overflow.
std::optional<i64> parse_integer(std::string_view text);

/// Parses the whole string as a finite decimal number; std::nullopt for other strings.
std::optional<double> parse_number(std::string_view text);

/// Finds the candidate closest to `word` by edit distance, if close enough to be a typo.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// Returns "; did you mean X?", or "" if no word is close.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Converts to ASCII lower case, for case-insensitive comparison.
std::string lower_case(std::string_view text);

std::string join(std::span<const std::string> words, std::string_view separator);

}  // namespace tilecast
