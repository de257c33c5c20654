// Makes strings of unknown origin safe for messages and terminals. Checked by: shown_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

/// Returns "1 point", "2 points"; `plural` if it is irregular.
std::string counted(std::size_t count, std::string_view word, std::string_view plural = "");

/// Returns the number with thousands separators: "35,446".
std::string with_commas(long long number);

/// Removes a leading byte-order mark.
std::string_view without_bom(std::string_view text);

/// Throws ConfigError `name:line: ...` for a NUL byte, which would truncate a C string.
void refuse_nul(std::string_view text, const std::string& name);

/// Escapes control and format characters other than line ends, and invalid UTF-8, as \xNN.
/// Idempotent.
std::string escaped(std::string_view text);

/// escaped(), with line ends as \n.
std::string on_one_line(std::string_view text);

/// Formats a message as one line: lines joined by "; ", escaped. A long message loses its middle,
/// because messages begin with the given value and end with the expected one.
std::string message_line(std::string_view text);

/// Quotes a string for a message: on_one_line(), cut to at most 60 bytes plus dots.
std::string printable(std::string_view text);

}  // namespace tilecast
