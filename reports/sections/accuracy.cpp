// How good the model is, beside what needs no model: error, order, picks.

#include <fmt/format.h>

#include "model/base/shown_text.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr int kErrorDigits = 3;

DataTable error_table(const Validation& v) {
  DataTable table{"error",
                  "Relative error (predicted / measured - 1)",
                  {{.key = "what", .title = "of"},
                   {.key = "points", .title = "points", .digits = 9},
                   {.key = "mean", .title = "mean", .unit = "%", .digits = kErrorDigits},
                   {.key = "median", .title = "median", .unit = "%", .digits = kErrorDigits},
                   {.key = "p90", .title = "90th percentile", .unit = "%", .digits = kErrorDigits},
                   {.key = "bias", .title = "bias", .unit = "%", .digits = 2}},
                  {}};
  const auto add = [&](const std::string& what, const ErrorFigures& e) {
    table.rows.push_back({what, static_cast<double>(e.points), e.mape * kToPercent,
                          e.median * kToPercent, e.p90 * kToPercent, e.bias * kToPercent});
  };
  if (v.cycles) {
    add("cycles", *v.cycles);
  }
  for (const auto& [regime, error] : v.time) {
    add(fmt::format("time, {}", to_text(regime)), error);
  }
  if (v.clock) {
    add("SM clock", v.clock->error);
  }
  if (v.baselines.roofline_mape) {
    table.rows.push_back({std::string("roofline baseline, time"), Cell(),
                          *v.baselines.roofline_mape * kToPercent, Cell(), Cell(), Cell()});
  }
  return table;
}

DataTable order_table(const Validation& v) {
  DataTable table{"order",
                  "Order of the configurations of one shape",
                  {{.key = "what", .title = "of"},
                   {.key = "shapes", .title = "shapes", .digits = 9},
                   {.key = "kendall", .title = "Kendall's tau", .digits = 3},
                   {.key = "near_best", .title = "within 20 % of the best", .digits = 3},
                   {.key = "spearman", .title = "Spearman's rho", .digits = 3}},
                  {}};
  for (const auto& [regime, rank] : v.rank) {
    table.rows.push_back({fmt::format("time, {}", to_text(regime)),
                          static_cast<double>(rank.shapes), rank.kendall,
                          maybe(rank.kendall_near_best), rank.spearman});
  }
  if (v.clock && v.clock->kendall) {
    table.rows.push_back({std::string("SM clock"), Cell(), *v.clock->kendall, Cell(), Cell()});
  }
  return table;
}

DataTable pick_table(const Validation& v) {
  DataTable table{"pick",
                  "Measured speed of each pick, relative to our best measured configuration (= 1)",
                  {{.key = "what", .title = "picked by"},
                   {.key = "shapes", .title = "shapes", .digits = 9},
                   {.key = "geomean", .title = "geometric mean", .digits = 3},
                   {.key = "p10", .title = "10th percentile", .digits = 3},
                   {.key = "worst", .title = "worst", .digits = 3}},
                  {}};
  const auto add = [&](const std::string& what, const std::optional<RatioFigures>& f) {
    if (f) {
      table.rows.push_back({what, static_cast<double>(f->groups), f->geomean, f->p10, f->min});
    }
  };
  for (const auto& [regime, picks] : v.pick) {
    for (const auto& [count, figures] : picks) {
      add(count == 1 ? fmt::format("the model, {}", to_text(regime))
                     : fmt::format("best of its first {}, {}", count, to_text(regime)),
          figures);
    }
  }
  const Baselines& b = v.baselines;
  add("the closed forms alone", v.method == Method::kAnalytic ? std::nullopt : b.closed_form);
  add("fewest predicted cycles", b.pick_by_cycles);
  add("one fixed configuration", b.fixed_tiling);
  add("chance", b.random);
  add("cuBLASLt's first choice, sides in multiples of 8", b.cublaslt_aligned);
  add("cuBLASLt's first choice, other sides", b.cublaslt_odd);
  return table;
}

DataTable schedule_table(const Validation& v) {
  DataTable table{"by_schedule",
                  "Error by schedule",
                  {{.key = "schedule", .title = "schedule", .is_code = true},
                   {.key = "points", .title = "points", .digits = 9},
                   {.key = "time", .title = "time, mean", .unit = "%", .digits = kErrorDigits},
                   {.key = "cycles", .title = "cycles, mean", .unit = "%", .digits = kErrorDigits}},
                  {}};
  for (const auto& [schedule, f] : v.by_schedule) {
    table.rows.push_back({std::string(to_text(schedule)), static_cast<double>(f.points),
                          f.time_mape * kToPercent,
                          f.cycles_mape ? Cell(*f.cycles_mape * kToPercent) : Cell()});
  }
  return table;
}

std::string interval_text(const Validation& v) {
  return v.interval ? fmt::format(
                          " The 90 % intervals cover {} % of the measured times; their "
                          "median width is {} % of the time.",
                          number_text(v.interval->coverage_90 * kToPercent, 3),
                          number_text(v.interval->median_width * kToPercent, 3))
                    : "";
}

std::string held_out_text(const ReportInput& input, const Validation& all) {
  return input.held_out && all.cycles
             ? fmt::format(
                   "Judged on problems that no fit has seen; over all rows, most of which "
                   "the constants were fitted to, cycles are {} % off in the mean. ",
                   number_text(all.cycles->mape * kToPercent, 3))
             : "";
}

}  // namespace

Validation judged_validation(const ReportInput& input) {
  const bool calibrated = input.gpu.calibrated;
  return input.held_out ? validate(input.gpu.spec, calibrated, input.held_out->data,
                                   {.fixed_config = input.held_out->fixed_config})
                        : validate(input.gpu.spec, calibrated, input.judged);
}

Section accuracy_section(const ReportInput& input) {
  const Validation all = validate(input.gpu.spec, input.gpu.calibrated, input.judged);
  const Validation v = input.held_out ? judged_validation(input) : all;
  Section section{
      .id = "accuracy",
      .title = "Error, order and picks",
      .text = fmt::format(
          "{}{} of {} ({} of baselines, {} left out, {} without a "
          "prediction, {} replaced by a later row), {} predictions, {}.{}",
          held_out_text(input, all), counted(v.points, "point"), counted(v.rows, "row"), v.cublaslt,
          v.excluded, v.unmatched, v.repeated, to_text(v.method),
          v.calibrated ? "calibrated" : "without a calibration of this card", interval_text(v)),
      .files = input.data_files(),
      .commands = {"./tilecast validate " + input.data_options}};
  if (input.held_out) {
    section.files.push_back(input.held_out->split_file);
    section.commands.front() += " --split " + input.held_out->split_file + " --part judge";
  }
  for (DataTable table : {error_table(v), order_table(v), pick_table(v), schedule_table(v)}) {
    if (!table.rows.empty()) {
      section.tables.push_back(std::move(table));
    }
  }
  return section;
}

}  // namespace tilecast
