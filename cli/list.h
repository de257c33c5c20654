// The words that options take, by the kinds of `tilecast list`.
#pragma once

#include <string>
#include <vector>

namespace tilecast {

struct ListedWord {
  std::string word, beside, meaning;
};

/// Of any kind but gpus.
std::vector<ListedWord> listed_words(const std::string& kind);

}  // namespace tilecast
