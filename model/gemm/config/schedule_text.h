// The schedules as lists and as words, on the host.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/base/words.h"
#include "model/gemm/config/schedule.h"

namespace tilecast {

template <class Enum, std::size_t kCount>
constexpr std::array<Enum, kCount> every_enumerator() {
  std::array<Enum, kCount> all{};
  for (std::size_t i = 0; i < kCount; ++i) {
    all[i] = static_cast<Enum>(i);
  }
  return all;
}
constexpr auto kEverySchedule = every_enumerator<Schedule, kScheduleCount>();

/// The names in their rows.
template <class Enum, std::size_t kCount>
constexpr Words<Enum, kCount> names_of(const std::array<Enum, kCount>& schedules) {
  Words<Enum, kCount> words{};
  std::ranges::transform(schedules, words.begin(), [](Enum schedule) {
    return std::pair(schedule, std::string_view(traits_of(schedule).name));
  });
  return words;
}

/// Those that one kind of tensor core runs, in the order of the enumerators.
template <TensorCore kCore>
constexpr auto schedules_on() {
  constexpr auto runs = [](Schedule s) { return traits_of(s).tensor_core == kCore; };
  std::array<Schedule, std::ranges::count_if(kEverySchedule, runs)> those{};
  std::ranges::copy_if(kEverySchedule, those.begin(), runs);
  return those;
}
inline constexpr auto kWgmmaSchedules = schedules_on<TensorCore::kWgmma>();
inline constexpr auto kTcgen05Schedules = schedules_on<TensorCore::kTcgen05>();

std::string_view to_text(Schedule schedule);
/// Throws ConfigError that lists the known names.
Schedule parse_schedule(std::string_view text);

}  // namespace tilecast
