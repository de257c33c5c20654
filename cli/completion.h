// Completion of tilecast's commands, options and words: the script for bash, and zsh through it,
// asks the program. Checked by: completion_test.cpp, tests/cli/completion_test.sh (bash itself).
#pragma once

#include <string>
#include <vector>

namespace tilecast {

/// Returns the words that may replace the last of these words, which follow `tilecast`. Elements of
/// a list have the list's prefix. No word contains characters that a shell expands.
std::vector<std::string> completions(const std::vector<std::string>& words);

}  // namespace tilecast
