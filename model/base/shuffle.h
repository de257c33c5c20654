// A shuffle with the same result on every platform; std::shuffle's result is
// implementation-defined.
#pragma once

#include <random>
#include <utility>
#include <vector>

namespace tilecast {

template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[random() % i]);
  }
}

}  // namespace tilecast
