// The kernels beside the vendor's: cuBLASLt's first answer and the best of its first sixteen, and
// the runtime's own copy.

#include <fmt/format.h>

#include <algorithm>

#include "model/base/shown_text.h"
#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/pick.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr const char *kAligned = "multiples of 8", *kOdd = "other";

std::optional<double> micros(const std::optional<Measurement>& row) {
  return row ? std::optional(row->time->median.value * kToMicros) : std::nullopt;
}

std::optional<double> ratio(const std::optional<Measurement>& theirs, Seconds ours) {
  return theirs ? std::optional(theirs->time->median / ours) : std::nullopt;
}

std::vector<Cell> library_row(const JoinedGroup& group) {
  const JoinedPoint* best = &group.points.front();
  const JoinedPoint* pick = best;
  for (const JoinedPoint& point : group.points) {
    best = point.measured_time() < best->measured_time() ? &point : best;
    pick = point.predicted.time < pick->predicted.time ? &point : pick;
  }
  const std::optional<Measurement>& first =
      group.runtime_copy ? group.runtime_copy : group.cublaslt_top1;
  return {problem_text(group.problem),
          shape_class(group.problem),
          std::string(is_aligned(group.problem) ? kAligned : kOdd),
          std::string(to_text(group.regime)),
          config_text(best->predicted.config),
          best->measured_time().value * kToMicros,
          maybe(micros(first)),
          maybe(micros(group.cublaslt_best)),
          maybe(ratio(first, best->measured_time())),
          maybe(ratio(group.cublaslt_best, best->measured_time())),
          maybe(ratio(first, pick->measured_time())),
          best->measured.point.config,
          pick->measured.point.config};
}

/// A row of the library in this group; there must be one.
std::string baseline_of(const JoinedGroup& group) {
  return (group.runtime_copy    ? group.runtime_copy
          : group.cublaslt_top1 ? group.cublaslt_top1
                                : group.cublaslt_best)
      ->point.config;
}

/// Geometric means over the groups of each kind of sides, which odd ones would dominate together.
DataTable means_table(const DataTable& libraries) {
  DataTable table{"libraries_mean",
                  "Library's time over ours, geometric mean",
                  {{.key = "what", .title = "time of"},
                   {.key = "sides", .title = "sides"},
                   {.key = "groups", .title = "groups", .digits = 9},
                   {.key = "mean", .title = "mean", .digits = 4},
                   {.key = "least", .title = "minimum", .digits = 3}},
                  {}};
  const std::pair<const char*, const char*> ratios[] = {
      {"of_first", "first answer / our best"},
      {"of_best", "best of 16 / our best"},
      {"pick_of_first", "first answer / the model's pick"}};
  const std::size_t sides = libraries.column("sides");
  for (const auto& [key, what] : ratios) {
    for (const char* kind : {kAligned, kOdd}) {
      Values values;
      for (const std::vector<Cell>& row : libraries.rows) {
        const double* value = std::get_if<double>(&row[libraries.column(key)]);
        if (value != nullptr && std::get<std::string>(row[sides]) == kind) {
          values.push_back(*value);
        }
      }
      if (!values.empty()) {
        table.rows.push_back({std::string(what), std::string(kind),
                              static_cast<double>(values.size()), geomean(values),
                              *std::ranges::min_element(values)});
      }
    }
  }
  return table;
}

}  // namespace

MaybeSection libraries_section(const ReportInput& input) {
  DataTable table{
      "libraries",
      "Against the vendor's kernels",
      {{.key = "shape", .title = "shape"},
       {.key = "class", .title = "class"},
       {.key = "sides", .title = "sides"},
       {.key = "regime", .title = "regime"},
       {.key = "best", .title = "best of ours", .is_code = true},
       {.key = "best_us", .title = "its time", .unit = "us", .digits = 5},
       {.key = "first_us", .title = "library, first answer", .unit = "us", .digits = 5},
       {.key = "library_best_us", .title = "library, best of 16", .unit = "us", .digits = 5},
       {.key = "of_first", .title = "first answer / ours", .digits = 4},
       {.key = "of_best", .title = "best of 16 / ours", .digits = 4},
       {.key = "pick_of_first", .title = "first answer / the model's pick", .digits = 4},
       canonical_column("best_canonical"),
       canonical_column("pick_canonical")},
      {}};
  const JoinedGroup* first = nullptr;
  for (const JoinedGroup& group : input.judged.groups) {
    if (!group.points.empty() &&
        (group.cublaslt_top1 || group.cublaslt_best || group.runtime_copy)) {
      table.rows.push_back(library_row(group));
      first = first == nullptr ? &group : first;
    }
  }
  if (table.rows.empty()) {
    return std::nullopt;
  }
  Section section{
      .id = "libraries",
      .title = "Beside cuBLASLt",
      .text =
          "Above 1 our kernel is faster. cuBLASLt's heuristic is asked for sixteen algorithms "
          "with a workspace; *first answer* is what it puts first, *best of 16* the fastest of "
          "them by measurement. For a copy the library is the runtime's own. Where a side is no "
          "multiple of 8, most of cuBLASLt's kernels cannot load wide.",
      .files = input.data_files(),
      .commands = {measure_command({first->problem, baseline_of(*first), first->regime})}};
  section.charts = {
      {"libraries",
       "Library's time over ours",
       "Each row is a shape; right of the line our best kernel, or the model's pick, is faster.",
       {"libraries"},
       {{"regime", "Regime", true, first_regime(table)},
        {"sides", "Sides"},
        {"class", "Class of shape"}}}};
  section.tables = {means_table(table), std::move(table)};
  return section;
}

}  // namespace tilecast
