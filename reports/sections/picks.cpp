// What the model would have picked for each shape, and what that costs.

#include <fmt/format.h>

#include <algorithm>

#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/pick.h"

namespace tilecast {
namespace {

std::vector<Column> pick_columns() {
  return {{.key = "shape", .title = "shape"},
          {.key = "class", .title = "class"},
          {.key = "regime", .title = "regime"},
          {.key = "tried", .title = "tried", .digits = 9},
          {.key = "pick", .title = "model's pick", .is_code = true},
          {.key = "predicted_us", .title = "predicted", .unit = "us", .digits = 4},
          {.key = "pick_us", .title = "its time", .unit = "us", .digits = 5},
          {.key = "best", .title = "best measured", .is_code = true},
          {.key = "best_us", .title = "its time", .unit = "us", .digits = 5},
          {.key = "regret_us", .title = "regret", .unit = "us", .digits = 3},
          {.key = "ratio", .title = "pick, of the best", .digits = 3},
          {.key = "ratio8", .title = "best of 8 picks", .digits = 3},
          {.key = "chance", .title = "chance", .digits = 3},
          {.key = "best_tflops", .title = "best", .unit = "TFLOPS", .digits = 3},
          canonical_column("pick_canonical"),
          canonical_column("best_canonical")};
}

const JoinedPoint& pick_of(const JoinedGroup& group) {
  return *std::min_element(group.points.begin(), group.points.end(),
                           [](const JoinedPoint& a, const JoinedPoint& b) {
                             return a.predicted.time < b.predicted.time;
                           });
}

const JoinedPoint& best_of(const JoinedGroup& group) {
  return *std::min_element(group.points.begin(), group.points.end(),
                           [](const JoinedPoint& a, const JoinedPoint& b) {
                             return a.measured_time() < b.measured_time();
                           });
}

std::vector<Cell> pick_row(const JoinedGroup& group) {
  const Preference by_time = [](const JoinedPoint& p) { return p.predicted.time.value; };
  const JoinedPoint& pick = pick_of(group);
  const JoinedPoint& best = best_of(group);
  constexpr std::size_t kMany = 8;
  return {problem_text(group.problem),
          shape_class(group.problem),
          std::string(to_text(group.regime)),
          static_cast<double>(group.points.size()),
          config_text(pick.predicted.config),
          pick.predicted.time.value * kToMicros,
          pick.measured_time().value * kToMicros,
          config_text(best.predicted.config),
          best.measured_time().value * kToMicros,
          (pick.measured_time() - best.measured_time()).value * kToMicros,
          pick_ratio(group, by_time, 1),
          pick_ratio(group, by_time, kMany),
          random_pick_ratio(group),
          maybe(tflops(group.problem, best.measured_time())),
          pick.measured.point.config,
          best.measured.point.config};
}

}  // namespace

MaybeSection picks_section(const ReportInput& input) {
  DataTable table{"picks", "The model's pick for each shape", pick_columns(), {}};
  const JoinedPoint* worst = nullptr;  // of the first row
  double regret = 0;
  for (const JoinedGroup& group : input.judged.groups) {
    if (can_pick(group)) {
      table.rows.push_back(pick_row(group));
      const double own = pick_of(group).measured_time() / best_of(group).measured_time();
      worst = own > regret ? &pick_of(group) : worst;
      regret = std::max(regret, own);
    }
  }
  if (table.rows.empty()) {
    return std::nullopt;
  }
  const std::size_t ratio = table.column("ratio");
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const std::vector<Cell>& a, const std::vector<Cell>& b) {
                     return std::get<double>(a[ratio]) < std::get<double>(b[ratio]);
                   });
  Section section{
      .id = "picks",
      .title = "What the model picks, shape by shape",
      .text =
          "Among the configurations that were measured for a shape, the one with the least "
          "predicted time is the pick; *regret* is its measured time less that of the best. The "
          "worst come first. What was not measured cannot be picked.",
      .files = input.data_files(),
      .commands = point_commands(input, *worst)};
  section.charts = {
      {"picks",
       "Speed of the pick, the best being 1",
       "Each row is a shape. Dot: the model's pick; ring: the best of its eight first "
       "picks; tick: the mean of all that was tried, which is what chance gives.",
       {"picks"},
       {{"regime", "Regime", true, first_regime(table)}, {"class", "Class of shape"}}}};
  section.tables = {std::move(table)};
  return section;
}

}  // namespace tilecast
