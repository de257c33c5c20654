// Lists the schedules of an op, and their names, from their traits.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/base/words.h"

namespace tilecast {

template <class Enum, std::size_t kCount>
constexpr std::array<Enum, kCount> every_enumerator() {
  std::array<Enum, kCount> all{};
  for (std::size_t i = 0; i < kCount; ++i) {
    all[i] = static_cast<Enum>(i);
  }
  return all;
}
/// Names in the order of the rows.
template <class Enum, std::size_t kCount>
constexpr Words<Enum, kCount> names_of(const std::array<Enum, kCount>& schedules) {
  Words<Enum, kCount> words{};
  std::ranges::transform(schedules, words.begin(), [](Enum schedule) {
    return std::pair(schedule, std::string_view(traits_of(schedule).name));
  });
  return words;
}

}  // namespace tilecast
