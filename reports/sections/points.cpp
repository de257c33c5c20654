// Every point: predicted against measured, with the interval, and how the errors are spread.

#include <fmt/format.h>

#include <map>

#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr std::size_t kCardDigits = 12;  // of the UUID, which tell cards apart

std::vector<Column> point_columns() {
  return {{.key = "shape", .title = "shape"},
          {.key = "class", .title = "class"},
          {.key = "schedule", .title = "schedule"},
          {.key = "config", .title = "configuration"},
          {.key = "regime", .title = "regime"},
          {.key = "conditions", .title = "inputs, L2"},
          {.key = "measured_us", .title = "measured", .unit = "us", .digits = 6},
          {.key = "q1_us", .title = "lower quartile", .unit = "us", .digits = 6, .on_page = false},
          {.key = "q3_us", .title = "upper quartile", .unit = "us", .digits = 6, .on_page = false},
          {.key = "predicted_us", .title = "predicted", .unit = "us", .digits = 5},
          {.key = "low_us", .title = "interval from", .unit = "us", .digits = 4},
          {.key = "high_us", .title = "interval to", .unit = "us", .digits = 4},
          {.key = "measured_kcycles", .title = "measured", .unit = "kcycles", .digits = 5},
          {.key = "predicted_kcycles", .title = "predicted", .unit = "kcycles", .digits = 5},
          {.key = "measured_ghz", .title = "measured", .unit = "GHz", .digits = 4},
          {.key = "predicted_ghz", .title = "predicted", .unit = "GHz", .digits = 4},
          {.key = "measured_w", .title = "measured", .unit = "W", .digits = 4},
          {.key = "predicted_w", .title = "predicted", .unit = "W", .digits = 4},
          {.key = "measured_tflops", .title = "measured", .unit = "TFLOPS", .digits = 4},
          {.key = "limiter", .title = "limiter"},
          {.key = "tensor", .title = "tensor pipes", .digits = 3},
          {.key = "shared_memory", .title = "shared memory", .digits = 3},
          {.key = "l2", .title = "L2", .digits = 3},
          {.key = "dram", .title = "DRAM", .digits = 3},
          {.key = "part", .title = "part"},
          {.key = "card", .title = "card", .on_page = false},
          canonical_column()};
}

std::string conditions_text(const Point& point) {
  const bool usual = point.inputs == Inputs::kNormal && point.l2_state == L2State::kRotating;
  return usual ? "usual" : fmt::format("{}, {}", to_text(point.inputs), to_text(point.l2_state));
}

std::vector<Cell> point_row(const JoinedGroup& group, const JoinedPoint& joined,
                            const std::string& part) {
  const Measurement& m = joined.measured;
  const Prediction& p = joined.predicted;
  const auto in = [](const auto& quantity, double unit) {
    return quantity ? Cell(quantity->value * unit) : Cell();
  };
  return {problem_text(group.problem),
          shape_class(group.problem),
          std::string(to_text(schedule_of(p.config))),
          config_text(p.config),
          std::string(to_text(group.regime)),
          conditions_text(m.point),
          m.time->median.value * kToMicros,
          m.time->q1.value * kToMicros,
          m.time->q3.value * kToMicros,
          p.time.value * kToMicros,
          p.interval_low.value * kToMicros,
          p.interval_high.value * kToMicros,
          in(m.cycles, kToKilocycles),
          p.cycles.value * kToKilocycles,
          in(m.sm_clock, kToGigahertz),
          p.sm_clock.value * kToGigahertz,
          in(m.power, 1),
          p.power.value,
          maybe(tflops(group.problem, joined.measured_time())),
          std::string(to_text(p.limiter)),
          p.shares.tensor,
          p.shares.shared_memory,
          p.shares.l2,
          p.shares.dram,
          part,
          m.context.gpu_uuid.substr(0, kCardDigits),
          m.point.config};
}

DataTable points_table(const ReportInput& input) {
  DataTable table{"points", "Every point", point_columns(), {}, false};
  for (const JoinedGroup& group : input.judged.groups) {
    const std::string part = input.held_out && !is_held_out(input, group) ? "fit" : "judge";
    for (const JoinedPoint& point : group.points) {
      table.rows.push_back(point_row(group, point, part));
    }
  }
  return table;
}

DataTable class_table(const ReportInput& input) {
  DataTable table{"by_class",
                  "Error of time by class of shape",
                  {{.key = "class", .title = "class"},
                   {.key = "regime", .title = "regime"},
                   {.key = "points", .title = "points", .digits = 9},
                   {.key = "mean", .title = "mean", .unit = "%", .digits = 3},
                   {.key = "median", .title = "median", .unit = "%", .digits = 3},
                   {.key = "p90", .title = "90th percentile", .unit = "%", .digits = 3},
                   {.key = "bias", .title = "bias", .unit = "%", .digits = 2}},
                  {}};
  std::map<std::pair<std::string, Regime>, Values> errors;
  for (const JoinedGroup& group : input.judged.groups) {
    for (const JoinedPoint& point : group.points) {
      errors[{shape_class(group.problem), group.regime}].push_back(
          point.predicted.time / point.measured_time() - 1);
    }
  }
  for (const auto& [key, values] : errors) {
    const ErrorFigures e = *error_figures(values);
    table.rows.push_back({key.first, std::string(to_text(key.second)),
                          static_cast<double>(e.points), e.mape * kToPercent, e.median * kToPercent,
                          e.p90 * kToPercent, e.bias * kToPercent});
  }
  return table;
}

}  // namespace

Section points_section(const ReportInput& input) {
  Section section{.id = "points",
                  .title = "Predicted against measured",
                  .text =
                      "Classes go by the sides of a shape alone. *decode*: at most 64 rows or "
                      "columns; *ragged*: a side that is no multiple of 64; *long K*: K at "
                      "least twice the longer side of C; *short K*: at most an eighth of it; "
                      "*small*: at most 2 x 1536³ operations; *memory*: copies and additions.",
                  .files = input.data_files(),
                  .commands = {}};
  for (const JoinedGroup& group : input.judged.groups) {
    if (!group.points.empty()) {
      section.commands = point_commands(input, group.points.front());
      break;
    }
  }
  const std::vector<Filter> filters{{"schedule", "Schedule"},
                                    {"class", "Class of shape"},
                                    {"regime", "Regime"},
                                    {"part", "Part of the split"},
                                    {"limiter", "Predicted limiter"}};
  section.charts = {
      {"scatter",
       "Time of every kernel",
       "One point for each measured configuration; the stroke through it is its 90 % interval. On "
       "the diagonal the prediction is exact; the thin lines are 10 % off.",
       {"points"},
       filters},
      {"errors",
       "How the errors are spread",
       "Points by relative error of predicted time, in steps of two points, colours as above; the "
       "outermost bars hold all beyond.",
       {"points"},
       filters}};
  section.tables = {points_table(input), class_table(input)};
  return section;
}

}  // namespace tilecast
