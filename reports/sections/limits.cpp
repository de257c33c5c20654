// What bounds a kernel: the share of each resource for any point, and all of them under the roofs.

#include <fmt/format.h>

#include <algorithm>

#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

/// The fastest measured configuration of each GEMM, at the operations that it does for each byte
/// that it must move.
DataTable roofline_table(const ReportInput& input) {
  DataTable table{"roofline",
                  "The best configuration of each shape under the roofs",
                  {{.key = "shape", .title = "shape"},
                   {.key = "class", .title = "class"},
                   {.key = "regime", .title = "regime"},
                   {.key = "schedule", .title = "schedule"},
                   {.key = "config", .title = "configuration", .is_code = true},
                   {.key = "intensity", .title = "intensity", .unit = "FLOP/B", .digits = 4},
                   {.key = "measured_tflops", .title = "measured", .unit = "TFLOPS", .digits = 4},
                   {.key = "predicted_tflops", .title = "predicted", .unit = "TFLOPS", .digits = 4},
                   {.key = "limiter", .title = "predicted limiter"},
                   canonical_column()},
                  {}};
  for (const JoinedGroup& group : input.judged.groups) {
    const std::optional<double> flops = flops_of(group.problem);
    if (!flops || group.points.empty()) {
      continue;
    }
    const JoinedPoint& best = *std::min_element(group.points.begin(), group.points.end(),
                                                [](const JoinedPoint& a, const JoinedPoint& b) {
                                                  return a.measured_time() < b.measured_time();
                                                });
    table.rows.push_back(
        {problem_text(group.problem), shape_class(group.problem),
         std::string(to_text(group.regime)),
         std::string(to_text(schedule_of(best.predicted.config))),
         config_text(best.predicted.config), *flops / least_bytes(group.problem),
         *tflops(group.problem, best.measured_time()), *tflops(group.problem, best.predicted.time),
         std::string(to_text(best.predicted.limiter)), best.measured.point.config});
  }
  return table;
}

/// The roofs as lines from corner to corner.
DataTable roofs_table(const GpuSpec& gpu) {
  DataTable table{"roofs",
                  "Roofs",
                  {{.key = "roof", .title = "roof"},
                   {.key = "intensity", .title = "intensity", .unit = "FLOP/B", .digits = 6},
                   {.key = "tflops", .title = "", .unit = "TFLOPS", .digits = 6}},
                  {},
                  false};
  if (!gpu.wgmma || !gpu.clock || !gpu.dram) {
    return table;
  }
  constexpr double kLeast = 4, kMost = 16384;  // FLOP/B
  const double bandwidth = gpu.dram->bandwidth.value * kToTera;
  const auto add = [&](const char* name, Hertz clock) {
    const double peak = gpu.wgmma->flops_per_sm.value * gpu.sm.count * clock.value * kToTera;
    for (const auto& [x, y] : {std::pair(kLeast, kLeast * bandwidth),
                               std::pair(peak / bandwidth, peak), std::pair(kMost, peak)}) {
      table.rows.push_back({std::string(name), x, y});
    }
  };
  add("highest clock", gpu.clock->max);
  add("highest clock under tensor work", gpu.clock->tensor_plateau);
  return table;
}

}  // namespace

MaybeSection limits_section(const ReportInput& input) {
  Section section{
      .id = "limits",
      .title = "Where the time goes",
      .text =
          "*Limiter*: what the kernel waits for most, by the model. A share is the part of the "
          "kernel's time in which a resource is busy; shares overlap.",
      .files = input.data_files(),
      .commands = {}};
  const JoinedGroup* first = nullptr;
  for (const JoinedGroup& group : input.judged.groups) {
    if (first == nullptr || group.points.size() > first->points.size()) {
      first = &group;
    }
  }
  if (first == nullptr || first->points.empty()) {
    return std::nullopt;
  }
  const JoinedPoint& best = *std::min_element(first->points.begin(), first->points.end(),
                                              [](const JoinedPoint& a, const JoinedPoint& b) {
                                                return a.measured_time() < b.measured_time();
                                              });
  section.commands = {predict_command(input, asked_of(best.measured), " --format json")};
  section.charts = {{"shares",
                     "Shares of one configuration",
                     "How busy each resource is over the predicted time of the chosen kernel.",
                     {"points"},
                     {{"shape", "Shape", true, problem_text(first->problem)},
                      {"regime", "Regime", true, std::string(to_text(first->regime))},
                      {"config", "Configuration", true, config_text(best.predicted.config)}}}};
  DataTable roofline = roofline_table(input), roofs = roofs_table(input.gpu.spec);
  if (!roofline.rows.empty() && !roofs.rows.empty()) {
    section.charts.push_back(
        {"roofline",
         "Under the roofs",
         "The fastest measured configuration of each shape. Dot: measured; cross: predicted. "
         "Across: operations for each byte that must move at least, A and B read and C written "
         "once. The slope is the datasheet's DRAM rate, the flats the tensor peak.",
         {"roofline", "roofs"},
         {{"regime", "Regime"}, {"class", "Class of shape"}}});
    section.tables = {std::move(roofline), std::move(roofs)};
  }
  return section;
}

}  // namespace tilecast
