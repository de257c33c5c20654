// Scripts by which a shell completes tilecast's commands, options and the words that options take.
// Checked by: completion_test.cpp, tests/cli/completion_test.sh (bash itself).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/program.h"

namespace tilecast {

/// By option, --gpu and the GPUs there are: words beyond those of the rows.
using OptionWords = std::map<std::string, std::vector<std::string>>;

std::string bash_completion(const std::vector<OptionRow>& rows, const OptionWords& words);
std::string zsh_completion(const std::vector<OptionRow>& rows, const OptionWords& words);

}  // namespace tilecast
