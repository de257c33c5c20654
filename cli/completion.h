// Completion of tilecast's commands, options and words: the script for bash, and zsh through it,
// asks the program. Checked by: completion_test.cpp, tests/cli/completion_test.sh (bash itself).
#pragma once

#include <string>
#include <vector>

namespace tilecast {

/// The words that may stand for the last of these, which follow `tilecast`; those of a list have
/// their prefix. None of them is a word that a shell would expand.
std::vector<std::string> completions(const std::vector<std::string>& words);

}  // namespace tilecast
