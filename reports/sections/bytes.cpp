// Bytes that L2 and DRAM deliver: predicted beside hardware counters.

#include <fmt/format.h>

#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

void add_row(DataTable& table, const ReportInput& input, const JoinedGroup& group,
             const JoinedPoint& point) {
  const CounterValues values = counters_of(input, point.measured);
  const auto add = [&](const char* what, const std::optional<Bytes>& counted, Bytes predicted) {
    if (counted && counted->value > 0) {
      table.rows.push_back({problem_text(group.problem), shape_class(group.problem),
                            std::string(to_text(group.regime)),
                            std::string(to_text(schedule_of(point.predicted.config))),
                            config_text(point.predicted.config), std::string(what),
                            counted->value * kToGigabytes, predicted.value * kToGigabytes,
                            (predicted.value / counted->value - 1) * kToPercent,
                            point.measured.point.config});
    }
  };
  add("L2 to SMs", input.chip->l2_to_sm_bytes(values), point.predicted.l2_to_sm);
  add("DRAM read", input.chip->dram_read_bytes(values), point.predicted.dram_read);
  add("DRAM write", input.chip->dram_write_bytes(values), point.predicted.dram_write);
}

DataTable error_table(const DataTable& bytes) {
  DataTable table{"bytes_error",
                  "Error of predicted bytes",
                  {{.key = "what", .title = "of"},
                   {.key = "points", .title = "points", .digits = 9},
                   {.key = "mean", .title = "mean", .unit = "%", .digits = 3},
                   {.key = "median", .title = "median", .unit = "%", .digits = 3},
                   {.key = "bias", .title = "bias", .unit = "%", .digits = 2}},
                  {}};
  for (const char* what : {"L2 to SMs", "DRAM read", "DRAM write"}) {
    Values errors;
    for (const std::vector<Cell>& row : bytes.rows) {
      if (std::get<std::string>(row[bytes.column("what")]) == what) {
        errors.push_back(std::get<double>(row[bytes.column("error")]) / kToPercent);
      }
    }
    if (const std::optional<ErrorFigures> e = error_figures(errors)) {
      table.rows.push_back({std::string(what), static_cast<double>(e->points), e->mape * kToPercent,
                            e->median * kToPercent, e->bias * kToPercent});
    }
  }
  return table;
}

}  // namespace

MaybeSection bytes_section(const ReportInput& input) {
  if (!input.chip) {
    return std::nullopt;
  }
  DataTable table{"bytes",
                  "Predicted and counted bytes",
                  {{.key = "shape", .title = "shape"},
                   {.key = "class", .title = "class"},
                   {.key = "regime", .title = "regime"},
                   {.key = "schedule", .title = "schedule"},
                   {.key = "config", .title = "configuration", .is_code = true},
                   {.key = "what", .title = "what"},
                   {.key = "counted_gb", .title = "counted", .unit = "GB", .digits = 4},
                   {.key = "predicted_gb", .title = "predicted", .unit = "GB", .digits = 4},
                   {.key = "error", .title = "error", .unit = "%", .digits = 3},
                   canonical_column()},
                  {}};
  const JoinedPoint* first = nullptr;
  for (const JoinedGroup& group : input.pool.groups) {
    for (const JoinedPoint& point : group.points) {
      add_row(table, input, group, point);
      first = first == nullptr && !table.rows.empty() ? &point : first;
    }
  }
  if (table.rows.empty()) {
    return std::nullopt;
  }
  constexpr std::size_t kShown = 60;
  table.listed = table.rows.size() <= kShown;
  std::vector<std::string> files = input.data_files();
  for (const std::string& file : input.more_files()) {
    files.push_back(file);
  }
  for (const CounterInput& file : input.counters) {
    files.push_back(file.file);
  }
  Section section{.id = "bytes",
                  .title = "L2 and DRAM bytes",
                  .text =
                      "*L2 to SMs*: bytes delivered by L2, a multicast counted once. DRAM "
                      "writes counted include lines that an earlier launch left in L2.",
                  .files = std::move(files),
                  .commands = {predict_command(input, asked_of(first->measured), " --format json"),
                               measure_command(asked_of(first->measured), " --counters core")}};
  section.charts = {
      {"bytes",
       "Bytes, predicted against counted",
       "One point for each kernel and level; on the diagonal the prediction is exact.",
       {"bytes"},
       {{"what", "Level"}, {"schedule", "Schedule"}}}};
  section.tables = {error_table(table), table};
  return section;
}

}  // namespace tilecast
