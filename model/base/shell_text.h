// Quotes strings for a shell's command line and for `#SBATCH` lines. Checked by:
// shell_text_test.cpp, tests/fuzz.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

/// Whether shells read the unquoted string as one word, unchanged.
bool is_plain_shell_word(std::string_view text);

/// Returns `text` as one shell word, in single quotes if it needs them. Throws ConfigError for a
/// NUL byte.
std::string shell_word(std::string_view text);

/// Returns `text` as the value of a `#SBATCH --name=value` line, in double quotes if it needs them.
/// Throws ConfigError for control characters, which end the line, and backslashes, which escape.
std::string sbatch_value(std::string_view text);

/// Returns "--name" or "--name=value", with the value quoted. Throws ConfigError for any other
/// form.
std::string sbatch_option(std::string_view option);

}  // namespace tilecast
