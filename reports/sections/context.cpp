// Where the numbers come from: one row for each card and set-up that rows were measured on, one for
// each file.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

struct SetUp {
  std::size_t rows = 0;
  std::string first, last;  // dates
  std::optional<double> coolest, hottest;
};

/// Card, driver, toolkit, git.
using SetUpKey = std::tuple<std::string, std::string, std::string, std::string>;

void add_row(std::map<SetUpKey, SetUp>& set_ups, const Measurement& row) {
  const RunContext& context = row.context;
  SetUp& own = set_ups[{context.gpu_uuid, context.driver, context.toolkit, context.git}];
  const std::string day = context.date.substr(0, context.date.find('T'));
  own.first = own.rows == 0 ? day : std::min(own.first, day);
  own.last = std::max(own.last, day);
  ++own.rows;
  if (row.temperature) {
    const double t = row.temperature->value;
    own.coolest = own.coolest ? std::min(*own.coolest, t) : t;
    own.hottest = own.hottest ? std::max(*own.hottest, t) : t;
  }
}

DataTable cards_table(const ReportInput& input) {
  std::map<SetUpKey, SetUp> set_ups;
  for (const std::vector<MeasurementFile>* files : {&input.data, &input.more}) {
    for (const MeasurementFile& file : *files) {
      for (const MeasurementRow& row : file.rows) {
        add_row(set_ups, row.measurement);
      }
    }
  }
  DataTable table{"cards",
                  "Cards and set-ups",
                  {{.key = "gpu_uuid", .title = "card", .is_code = true},
                   {.key = "driver", .title = "driver"},
                   {.key = "toolkit", .title = "toolkit"},
                   {.key = "git", .title = "built from", .is_code = true},
                   {.key = "rows", .title = "rows", .digits = 9},
                   {.key = "first", .title = "first"},
                   {.key = "last", .title = "last"},
                   {.key = "coolest_c", .title = "coolest", .unit = "°C", .digits = 3},
                   {.key = "hottest_c", .title = "hottest", .unit = "°C", .digits = 3}},
                  {}};
  for (const auto& [key, own] : set_ups) {
    const auto& [uuid, driver, toolkit, git] = key;
    table.rows.push_back({uuid, driver, toolkit, git, static_cast<double>(own.rows), own.first,
                          own.last, maybe(own.coolest), maybe(own.hottest)});
  }
  return table;
}

void add_files(DataTable& table, const std::vector<MeasurementFile>& files,
               const std::string& used) {
  for (const MeasurementFile& file : files) {
    double ok = 0, wrong = 0;
    for (const MeasurementRow& row : file.rows) {
      const bool right = is_verified(row.measurement);
      (right ? ok : wrong) += 1;
    }
    table.rows.push_back({file.name, used, ok, wrong});
  }
}

DataTable files_table(const ReportInput& input) {
  DataTable table{"files",
                  "Files of rows",
                  {{.key = "file", .title = "file", .is_code = true},
                   {.key = "used", .title = "used for"},
                   {.key = "right", .title = "verified rows", .digits = 9},
                   {.key = "left_out", .title = "left out", .digits = 9}},
                  {}};
  add_files(table, input.data, "judging the model");
  add_files(table, input.more, "shown besides");
  for (const CounterInput& file : input.counters) {
    table.rows.push_back({file.file, "counters", Cell(), Cell()});
  }
  for (const TimelineInput& timeline : input.timelines) {
    table.rows.push_back({timeline.file, "timeline", Cell(), Cell()});
  }
  return table;
}

DataTable machine_table(const GpuSpec& gpu) {
  DataTable table{"machine",
                  "The GPU as the model knows it",
                  {{.key = "what", .title = "what"},
                   {.key = "value", .title = "value"},
                   {.key = "unit", .title = "unit"}},
                  {}};
  const auto add = [&](const char* what, double value, const char* unit) {
    table.rows.push_back({std::string(what), value, std::string(unit)});
  };
  add("SMs", gpu.sm.count, "");
  if (gpu.clock) {
    add("highest SM clock", gpu.clock->max.value * kToGigahertz, "GHz");
    add("highest under tensor work", gpu.clock->tensor_plateau.value * kToGigahertz, "GHz");
  }
  if (gpu.power) {
    add("power cap, sustained", gpu.power->sustained_limit.value, "W");
  }
  if (gpu.wgmma && gpu.clock) {
    add("tensor peak at the highest clock",
        gpu.wgmma->flops_per_sm.value * gpu.sm.count * gpu.clock->max.value * kToTera, "TFLOPS");
  }
  if (gpu.l2) {
    constexpr double kMebi = 1024.0 * 1024;
    add("L2", gpu.l2->capacity.value / kMebi, "MiB");
  }
  if (gpu.dram) {
    add("DRAM, datasheet", gpu.dram->bandwidth.value * kToTera, "TB/s");
  }
  return table;
}

}  // namespace

Section context_section(const ReportInput& input) {
  Section section{.id = "context",
                  .title = "What was measured, and on what",
                  .text = fmt::format(
                      "{}, SM and memory clocks not locked, every row checked against a reference "
                      "before it was timed. *Burst*: within 10 ms after at least 30 ms of rest. "
                      "*Sustained*: after at least 250 ms of continuous load by the same kernel. "
                      "Times are medians of the kernel's own duration; *cycles* are time x mean SM "
                      "clock read inside the GPU over the same interval.",
                      input.gpu.spec.product),
                  .files = input.data_files()};
  section.tables = {machine_table(input.gpu.spec), cards_table(input), files_table(input)};
  return section;
}

}  // namespace tilecast
