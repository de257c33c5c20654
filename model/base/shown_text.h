// Text as messages and terminals show it, whatever bytes it was read with.
// Checked by: shown_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

/// "1 point", "2 points"; `plural` where it is not the word with an s.
std::string counted(std::size_t count, std::string_view word, std::string_view plural = "");

/// "35,446".
std::string with_commas(long long number);

/// Without the byte-order mark that some editors put first.
std::string_view without_bom(std::string_view text);

/// Throws ConfigError `name:line: ...` for a NUL byte, which would cut short what quotes it.
void refuse_nul(std::string_view text, const std::string& name);

/// Control characters other than line ends, and bytes that are not UTF-8, as \xNN. Shown twice it
/// is the same.
std::string escaped(std::string_view text);

/// The same on one line, line ends as \n.
std::string on_one_line(std::string_view text);

/// The same, of at most 60 bytes and dots, for what a message quotes.
std::string printable(std::string_view text);

}  // namespace tilecast
