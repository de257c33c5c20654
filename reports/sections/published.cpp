// The tables of public documents with four columns: what they print, what the model predicts for
// the GPU they were measured on, what our kernel of that schedule measures here, and what the model
// predicts here.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/base/error.h"
#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

std::optional<double> predicted(const ReportInput& input, const std::string& gpu,
                                const AnyProblem& problem, const std::string& config, Regime regime,
                                FigureUnit unit) {
  if (config.empty() || is_baseline(config) || !input.predict_on) {
    return std::nullopt;
  }
  const std::optional<Prediction> prediction =
      input.predict_on(gpu, problem, parse_config(config), regime, Inputs::kNormal);
  if (!prediction) {
    return std::nullopt;
  }
  return unit == FigureUnit::kHitPercent ? std::optional(prediction->l2_hit_rate * kToPercent)
                                         : in_unit(unit, problem, prediction->time);
}

const Measurement* measured_row(const ReportInput& input, const PublishedFigure& figure,
                                Regime regime) {
  if (is_baseline(figure.config_here)) {
    const JoinedGroup* group = find_group(input, figure.problem, regime);
    if (group == nullptr) {
      return nullptr;
    }
    const std::optional<Measurement>& row =
        figure.config_here == kCublasltTop1   ? group->cublaslt_top1
        : figure.config_here == kCublasltBest ? group->cublaslt_best
                                              : group->runtime_copy;
    return row ? &*row : nullptr;
  }
  const JoinedPoint* point = find_point(input, figure.problem, figure.config_here, regime);
  return point == nullptr ? nullptr : &point->measured;
}

std::optional<double> measured(const ReportInput& input, const PublishedFigure& figure,
                               Regime regime) {
  const Measurement* row = measured_row(input, figure, regime);
  if (row == nullptr) {
    return std::nullopt;
  }
  if (figure.unit != FigureUnit::kHitPercent) {
    return in_unit(figure.unit, figure.problem, row->time->median);
  }
  const std::optional<double> rate =
      input.chip ? input.chip->l2_hit_rate(counters_of(input, *row)) : std::nullopt;
  return rate ? std::optional(*rate * kToPercent) : std::nullopt;
}

/// The table with most measured lines: the one shown first.
std::string fullest_table(const DataTable& table) {
  std::map<std::string, int> lines;
  const std::size_t name = table.column("table"), measured = table.column("measured_here");
  for (const std::vector<Cell>& row : table.rows) {
    lines[std::get<std::string>(row[name])] +=
        std::holds_alternative<double>(row[measured]) ? 1 : 0;
  }
  return std::max_element(lines.begin(), lines.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Documents time kernels that run one after the other, so the sustained regime it is, where we
/// measured that.
Regime regime_of(const ReportInput& input, const PublishedFigure& figure) {
  return !measured(input, figure, Regime::kSustained) && measured(input, figure, Regime::kBurst)
             ? Regime::kBurst
             : Regime::kSustained;
}

std::vector<Cell> figure_row(const ReportInput& input, const PublishedFigure& figure) {
  const Regime regime = regime_of(input, figure);
  return {figure.table,
          problem_text(figure.problem),
          figure.kernel,
          std::string(to_text(figure.unit)),
          figure.value,
          maybe(predicted(input, figure.gpu, problem_there(figure), figure.config_there, regime,
                          figure.unit)),
          maybe(measured(input, figure, regime)),
          maybe(predicted(input, input.gpu.spec.name, figure.problem, figure.config_here, regime,
                          figure.unit)),
          std::string(to_text(regime)),
          maybe(measured(input, figure, Regime::kBurst)),
          figure.gpu,
          config_text(figure.config_here),
          figure.source,
          figure.config_there,
          figure.config_here};
}

/// One of each: what was predicted there, here, and measured here.
std::vector<std::string> commands_of(const ReportInput& input) {
  for (const PublishedFigure& figure : input.published) {
    const Regime regime = regime_of(input, figure);
    if (measured(input, figure, regime) && !figure.config_there.empty() &&
        !is_baseline(figure.config_here)) {
      const Asked here{figure.problem, figure.config_here, regime};
      return {predict_command_on(figure.gpu, {problem_there(figure), figure.config_there, regime}),
              predict_command(input, here), measure_command(here)};
    }
  }
  return {};
}

}  // namespace

MaybeSection published_section(const ReportInput& input) {
  if (input.published.empty()) {
    return std::nullopt;
  }
  DataTable table{"published",
                  "Published figures beside ours",
                  {{.key = "table", .title = "table"},
                   {.key = "shape", .title = "shape"},
                   {.key = "kernel", .title = "kernel there"},
                   {.key = "unit", .title = "unit"},
                   {.key = "published", .title = "published", .digits = 4},
                   {.key = "predicted_there", .title = "predicted there", .digits = 4},
                   {.key = "measured_here", .title = "measured here", .digits = 4},
                   {.key = "predicted_here", .title = "predicted here", .digits = 4},
                   {.key = "regime", .title = "regime"},
                   {.key = "burst_here", .title = "measured here, burst", .digits = 4},
                   {.key = "gpu", .title = "GPU there"},
                   {.key = "config", .title = "our kernel", .is_code = true},
                   {.key = "source", .title = "document"},
                   canonical_column("canonical_there"),
                   canonical_column()},
                  {}};
  for (const PublishedFigure& figure : input.published) {
    table.rows.push_back(figure_row(input, figure));
  }
  std::vector<std::string> files{input.published_file};
  for (const std::vector<std::string>& names : {input.data_files(), input.more_files()}) {
    files.insert(files.end(), names.begin(), names.end());
  }
  Section section{
      .id = "published",
      .title = "The reference documents, reproduced",
      .text = fmt::format(
          "*Published*: as the document prints it, on its GPU. *Predicted there*: by the model for "
          "that GPU, where its schedules are modelled. "
          "*Measured here*: our kernel of the same schedule, tile, buffers and order of tiles on "
          "the {}. *Predicted here*: by the model for it. The documents time kernels one after the "
          "other, so the regime is sustained, or burst where only that was measured. Empty: not "
          "modelled, or not measured. Blackwell's kernels of four or eight warps stand beside "
          "ours of two consumer warpgroups. Hit rates are 1 - DRAM bytes / L2-to-SM bytes here, "
          "raw sector rates there, and do not compare; times of one small MMA there hold its "
          "launch.",
          input.gpu.spec.product),
      .files = std::move(files),
      .commands = commands_of(input)};
  section.charts = {
      {"published",
       "Published, predicted and measured",
       "Each row is one line of a published table. Diamond: published, on that GPU; triangle: "
       "predicted for that GPU; dot: measured here; cross: predicted here.",
       {"published"},
       {{"table", "Table", true, fullest_table(table)}}}};
  section.tables = {std::move(table)};
  return section;
}

}  // namespace tilecast
