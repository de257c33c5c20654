// The script by which bash, and zsh through it, completes tilecast's commands, options and words.
// Checked by: completion_test.cpp, tests/cli/completion_test.sh (bash itself).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilecast {

/// By option, --gpu and the GPUs there are: words beyond those of the table. Words that are not
/// plain are left out, since bash expands each again.
using OptionWords = std::map<std::string, std::vector<std::string>>;
std::string bash_completion(const OptionWords& words);

}  // namespace tilecast
