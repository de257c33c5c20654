// Grouped problems: speed over the rows that groups have in the mean, and what it costs where one
// has many more. The best kernel measured, and the one that the model puts first, as predicted and
// as measured.
//
// Leaves out: the sustained regime, problems of which fewer than two kernels were measured.

#include <fmt/format.h>

#include <algorithm>

#include "model/tile/group_rows.h"
#include "model/tile/short_config_text.h"
#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

void add_problem(DataTable& table, const JoinedGroup& group) {
  const GemmProblem& problem = std::get<GemmProblem>(group.problem);
  const GroupRows& groups = *problem.groups;
  const double mean =
      static_cast<double>(groups.total()) / static_cast<double>(groups.rows().size());
  const std::string shape = fmt::format("{} groups, N {} K {}, {}", groups.rows().size(),
                                        problem.shape.n, problem.shape.k, types_text(problem));
  const auto add = [&](const char* series, const JoinedPoint& point, Seconds time) {
    table.rows.push_back({shape, mean, static_cast<double>(groups.largest()) / mean,
                          std::string(groups.are_equal() ? "equal" : "unequal"),
                          std::string(series), config_text(point.measured.point.config),
                          time.value * kToMicros, *tflops(group.problem, time),
                          point.measured.point.config});
  };
  const JoinedPoint& best =
      *std::ranges::min_element(group.points, {}, &JoinedPoint::measured_time);
  const JoinedPoint& pick = *std::ranges::min_element(
      group.points, {}, [](const JoinedPoint& point) { return point.predicted.time; });
  add("best measured", best, best.measured_time());
  add("first by forecast, measured", pick, pick.measured_time());
  add("first by forecast, predicted", pick, pick.predicted.time);
}

}  // namespace

MaybeSection groups_section(const ReportInput& input) {
  DataTable table{"groups",
                  "Speed over rows per group",
                  {{.key = "problem", .title = "problem"},
                   {.key = "rows", .title = "rows per group, mean", .digits = 5},
                   {.key = "imbalance", .title = "largest group over the mean", .digits = 3},
                   {.key = "groups", .title = "groups"},
                   {.key = "series", .title = "series"},
                   {.key = "config", .title = "configuration", .is_code = true},
                   {.key = "time_us", .title = "time", .unit = "us", .digits = 5},
                   {.key = "tflops", .title = "speed", .unit = "TFLOPS", .digits = 4},
                   canonical_column()},
                  {},
                  false};
  std::vector<std::string> commands;
  for (const JoinedGroup& group : input.pool.groups) {
    const GemmProblem* problem = std::get_if<GemmProblem>(&group.problem);
    if (problem == nullptr || !grouped_along_m(*problem) || group.points.size() < 2 ||
        group.regime != Regime::kBurst || group.inputs != Inputs::kNormal ||
        group.l2_state != L2State::kRotating) {
      continue;
    }
    add_problem(table, group);
    if (commands.empty()) {
      commands = point_commands(input, group.points.front());
    }
  }
  if (table.rows.empty()) {
    return std::nullopt;
  }
  Section section{.id = "groups",
                  .title = "Groups of a mixture of experts",
                  .text =
                      "Each group of rows has a B of its own, and no tile straddles two: few rows "
                      "in a group leave tiles half empty and read much of B for little work. "
                      "TFLOPS count the rows that there are.",
                  .files = input.more_files(),
                  .commands = std::move(commands)};
  section.charts = {
      {"groups_rows",
       "Speed over the rows of a group",
       "Where groups have few rows DRAM brings B under few tiles, and speed follows the rows; "
       "with some thousand it is the plain product's.",
       {"groups"},
       {{"series", "Series"}, {"groups", "Groups"}}},
      {"groups_imbalance",
       "Speed over imbalance",
       "The largest group's rows over the mean, of unequal groups and equal ones.",
       {"groups"},
       {{"series", "Series"}}}};
  section.tables = {std::move(table)};
  return section;
}

}  // namespace tilecast
