// The words that options accept, by the kinds of `tilecast list`.
#pragma once

#include <string>
#include <vector>

namespace tilecast {

struct ListedWord {
  std::string word, beside, meaning;
};

/// Returns words of any kind except gpus.
std::vector<ListedWord> listed_words(const std::string& kind);

}  // namespace tilecast
