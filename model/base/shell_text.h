// Text inside a line for a shell, and inside a batch script's `#SBATCH` lines.
// Checked by: shell_text_test.cpp, tests/fuzz.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

/// True for text that no shell changes or splits, quoted or not.
bool is_plain_shell_word(std::string_view text);

/// `text` as one word of a shell's line: as it is where it is plain, else in single quotes. Throws
/// ConfigError for a NUL byte, which no word can hold.
std::string shell_word(std::string_view text);

/// `text` as the value of a `#SBATCH --name=value` line, in double quotes unless it is plain.
/// Throws ConfigError for control characters and backslashes, which end the line or are read as
/// escapes.
std::string sbatch_value(std::string_view text);

/// "--name" or "--name=value" with the value quoted. Throws ConfigError for anything else.
std::string sbatch_option(std::string_view option);

}  // namespace tilecast
