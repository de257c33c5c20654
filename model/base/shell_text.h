// Quotes text for a shell's command line and for the `#SBATCH` lines of a batch script.
// Checked by: shell_text_test.cpp, tests/fuzz.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

/// Whether shells read the unquoted text as one unchanged word.
bool is_plain_shell_word(std::string_view text);

/// `text` as one word of a command line, in single quotes unless it is plain. Throws ConfigError
/// for a NUL byte, which no word can hold.
std::string shell_word(std::string_view text);

/// `text` as the value of a `#SBATCH --name=value` line, in double quotes unless it is plain.
/// Throws ConfigError for control characters and backslashes: they end the line or are escapes.
std::string sbatch_value(std::string_view text);

/// "--name" or "--name=value" with the value quoted. Throws ConfigError for anything else.
std::string sbatch_option(std::string_view option);

}  // namespace tilecast
