// Lists schedules and their names, for the host.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "model/gemm/config/schedule.h"
#include "model/op/schedule_names.h"

namespace tilecast {

constexpr auto kEverySchedule = every_enumerator<Schedule, kScheduleCount>();

/// Returns the schedules for one kind of tensor core, in the order of the enumerators.
template <TensorCore kCore>
constexpr auto schedules_on() {
  constexpr auto runs = [](Schedule s) { return traits_of(s).tensor_core == kCore; };
  std::array<Schedule, std::ranges::count_if(kEverySchedule, runs)> those{};
  std::ranges::copy_if(kEverySchedule, those.begin(), runs);
  return those;
}
inline constexpr auto kWgmmaSchedules = schedules_on<TensorCore::kWgmma>();
inline constexpr auto kTcgen05Schedules = schedules_on<TensorCore::kTcgen05>();
inline constexpr auto kMmaSyncSchedules = schedules_on<TensorCore::kMmaSync>();

std::string_view to_text(Schedule schedule);
/// Parses a name. Throws a ConfigError that lists the known names.
Schedule parse_schedule(std::string_view text);

}  // namespace tilecast
