// Cycles first, then the clock: both of every configuration of one shape, and what the clock model
// says beside what was measured.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

constexpr double kFactors[] = {1, 1.05, 1.1, 1.2, 1.3, 1.4};  // of the best time
constexpr double kShown = 1.4;                                // slower ones are not drawn

struct Extent {
  double low = 0, high = 0;
  void add(double value) {
    low = high == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
};

bool is_shown(const JoinedGroup& group, const JoinedPoint& point) {
  return point.measured.sm_clock && point.measured.cycles &&
         point.measured_time() <= group.best_measured_time() * kShown;
}

/// Clocks of the points that are drawn; nothing where they are fewer than two.
std::optional<Extent> clocks_of(const JoinedGroup& group) {
  Extent extent;
  int points = 0;
  for (const JoinedPoint& point : group.points) {
    if (is_shown(group, point)) {
      extent.add(point.measured.sm_clock->value);
      extent.add(point.predicted.sm_clock.value);
      ++points;
    }
  }
  return points < 2 ? std::nullopt : std::optional(extent);
}

double most_cycles(const JoinedGroup& group) {
  double most = 0;
  for (const JoinedPoint& point : group.points) {
    most = std::max(most, is_shown(group, point) ? point.measured.cycles->value : 0);
  }
  return most;
}

/// A line of equal time is cycles = time x clock: two ends for each.
void add_lines(DataTable& table, const JoinedGroup& group, Extent clocks) {
  constexpr double kMargin = 0.01;
  const Seconds best = group.best_measured_time();
  for (const double factor : kFactors) {
    const Seconds time = best * factor;
    if (factor > 1 && time.value * clocks.low * (1 - kMargin) > most_cycles(group)) {
      break;  // the line would run above every point
    }
    for (const double clock : {clocks.low * (1 - kMargin), clocks.high * (1 + kMargin)}) {
      table.rows.push_back(
          {problem_text(group.problem), std::string(to_text(group.regime)),
           factor == 1 ? std::string("best") : fmt::format("+{:.0f} %", (factor - 1) * kToPercent),
           time.value * kToMicros, clock * kToGigahertz, time.value * clock * kToKilocycles});
    }
  }
}

struct Extremes {
  const JoinedPoint *fewest, *fastest;  // cycles, time

  double cost() const { return fewest->measured_time() / fastest->measured_time(); }
};

/// Of the points with a clock; there must be one.
Extremes extremes_of(const JoinedGroup& group) {
  Extremes found{nullptr, nullptr};
  for (const JoinedPoint& point : group.points) {
    if (!point.measured.cycles || !point.measured.sm_clock) {
      continue;
    }
    const bool fewer =
        found.fewest == nullptr || *point.measured.cycles < *found.fewest->measured.cycles;
    const bool faster =
        found.fastest == nullptr || point.measured_time() < found.fastest->measured_time();
    found.fewest = fewer ? &point : found.fewest;
    found.fastest = faster ? &point : found.fastest;
  }
  return found;
}

double operations_of(const JoinedGroup& group) { return flops_of(group.problem).value_or(0); }

/// What is shown first: of large shapes that no fit has seen the middle one by operations, and of
/// other shapes where there are none; of those with many points.
const JoinedGroup& typical_group(const ReportInput& input,
                                 const std::vector<const JoinedGroup*>& groups) {
  std::size_t most = 0;
  for (const JoinedGroup* group : groups) {
    most = std::max(most, group->points.size());
  }
  std::map<std::pair<bool, bool>, std::vector<const JoinedGroup*>> by_kind;  // large, held out
  for (const JoinedGroup* group : groups) {
    if (group->points.size() * 2 >= most) {
      by_kind[{shape_class(group->problem) == "large", is_held_out(input, *group)}].push_back(
          group);
    }
  }
  std::vector<const JoinedGroup*>& kind = by_kind.rbegin()->second;
  std::ranges::stable_sort(kind, {},
                           [](const JoinedGroup* group) { return operations_of(*group); });
  return *kind[kind.size() / 2];
}

/// Those with clocks to show, ordinary inputs and L2 state.
std::vector<const JoinedGroup*> clocked_groups(const ReportInput& input) {
  std::vector<const JoinedGroup*> groups;
  for (const JoinedGroup& group : input.judged.groups) {
    const bool usual = group.inputs == Inputs::kNormal && group.l2_state == L2State::kRotating;
    if (usual && clocks_of(group)) {
      groups.push_back(&group);
    }
  }
  return groups;
}

DataTable fewest_table(const std::vector<const JoinedGroup*>& groups) {
  DataTable table{"fewest_cycles",
                  "The fewest cycles and the least time",
                  {{.key = "shape", .title = "shape"},
                   {.key = "regime", .title = "regime"},
                   {.key = "fewest", .title = "fewest cycles", .is_code = true},
                   {.key = "fewest_kcycles", .title = "", .unit = "kcycles", .digits = 5},
                   {.key = "fewest_ghz", .title = "", .unit = "GHz", .digits = 4},
                   {.key = "fewest_us", .title = "", .unit = "us", .digits = 5},
                   {.key = "fastest", .title = "fastest", .is_code = true},
                   {.key = "fastest_kcycles", .title = "", .unit = "kcycles", .digits = 5},
                   {.key = "fastest_ghz", .title = "", .unit = "GHz", .digits = 4},
                   {.key = "fastest_us", .title = "", .unit = "us", .digits = 5},
                   canonical_column("fewest_canonical"),
                   canonical_column("fastest_canonical")},
                  {}};
  for (const JoinedGroup* group : groups) {
    const auto [fewest, fastest] = extremes_of(*group);
    if (fewest == fastest) {
      continue;
    }
    std::vector<Cell> row{problem_text(group->problem), std::string(to_text(group->regime))};
    for (const JoinedPoint* point : {fewest, fastest}) {
      row.insert(row.end(), {config_text(point->predicted.config),
                             point->measured.cycles->value * kToKilocycles,
                             point->measured.sm_clock->value * kToGigahertz,
                             point->measured_time().value * kToMicros});
    }
    row.insert(row.end(), {fewest->measured.point.config, fastest->measured.point.config});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::optional<Chart> cycles_clock_chart(const ReportInput& input) {
  const std::vector<const JoinedGroup*> groups = clocked_groups(input);
  if (groups.empty()) {
    return std::nullopt;
  }
  const JoinedGroup& first = typical_group(input, groups);
  return Chart{"cycles_clock",
               "Cycles against clock of every configuration of one shape",
               "Filled: measured; hollow: predicted. Further down means fewer cycles, further "
               "right a higher clock. Along a line the time is the same; the lowest is that of the "
               "fastest. Configurations more than 40 % slower are left out.",
               {"points", "equal_time"},
               {{"shape", "Shape", true, problem_text(first.problem)},
                {"regime", "Regime", true, std::string(to_text(first.regime))},
                {"schedule", "Schedule"}}};
}

MaybeSection clock_section(const ReportInput& input) {
  const std::vector<const JoinedGroup*> groups = clocked_groups(input);
  if (groups.empty()) {
    return std::nullopt;
  }
  DataTable lines{"equal_time",
                  "Lines of equal time",
                  {{.key = "shape", .title = "shape"},
                   {.key = "regime", .title = "regime"},
                   {.key = "line", .title = "line"},
                   {.key = "time_us", .title = "time", .unit = "us", .digits = 5},
                   {.key = "ghz", .title = "clock", .unit = "GHz", .digits = 5},
                   {.key = "kcycles", .title = "cycles", .unit = "kcycles", .digits = 5}},
                  {},
                  false};
  for (const JoinedGroup* group : groups) {
    add_lines(lines, *group, *clocks_of(*group));
  }
  DataTable fewest = fewest_table(groups);
  const JoinedGroup& first = typical_group(input, groups);
  Section section{
      .id = "clock",
      .title = "Cycles against clock",
      .text = fmt::format(
          "A configuration's schedule decides its cycles, its energy decides the SM clock, and "
          "only the two together give a time. In {} of {} groups of one shape "
          "and regime the configuration with the fewest cycles is not the fastest.",
          fewest.rows.size(), groups.size()),
      .files = input.data_files(),
      .commands = point_commands(input, *extremes_of(first).fastest)};
  section.charts = {
      {"clock_scatter",
       "SM clock, predicted against measured",
       "One point for each configuration. In a burst a fast limiter that follows the activity of "
       "the moment sets the clock; under sustained load the power cap does.",
       {"points"},
       {{"regime", "Regime"}, {"schedule", "Schedule"}, {"class", "Class of shape"}}},
      {"power",
       "Clock and power under sustained load",
       "Filled: measured; hollow: predicted. Under sustained load kernels that need the cap's "
       "power "
       "end at the cap, at the clock their energy allows.",
       {"points"},
       {{"schedule", "Schedule"}, {"class", "Class of shape"}}}};
  const bool any_power = std::any_of(groups.begin(), groups.end(), [](const JoinedGroup* group) {
    return std::any_of(group->points.begin(), group->points.end(),
                       [](const JoinedPoint& point) { return point.measured.power.has_value(); });
  });
  if (!any_power) {
    section.charts.pop_back();
  }
  section.tables = {std::move(lines)};
  if (!fewest.rows.empty()) {
    section.tables.push_back(std::move(fewest));
  }
  return section;
}

}  // namespace tilecast
