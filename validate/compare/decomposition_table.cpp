#include "validate/compare/decomposition_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "model/analytic/occupancy.h"
#include "model/base/math.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/published_rule.h"
#include "model/tile/schedule_text.h"
#include "model/tile/short_config_text.h"
#include "validate/compare/shown_figures.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr double kNearlyEmpty = 0.25;  // a last wave below this

void keep_faster(std::optional<Seconds>& kept, Seconds time) {
  kept = kept ? std::min(*kept, time) : time;
}

std::optional<Seconds> split_by(const DecompositionRow& row, Schedule schedule) {
  const auto found = row.split.find(schedule);
  return found == row.split.end() ? std::nullopt : std::optional(found->second);
}

DecompositionRow row_of(const GpuSpec& gpu, const KernelConfig& at, const JoinedGroup& group) {
  DecompositionRow row{};
  const GemmProblem& problem = group.points.front().measured.point.problem;
  row.shape = problem.shape;
  const u32 workers = static_cast<u32>(resident_workers(gpu, at));
  const TileScheduler tiles = make_tile_scheduler(problem, at, workers);
  const i64 k_blocks = ceil_div<i64>(row.shape.k, at.tiling.block_k);
  const RuleChoice rule = published_rule(tiles.num_tiles(), workers, static_cast<i32>(k_blocks));
  std::optional<Seconds> by_rule_and_splits;
  const JoinedPoint* best = &group.points.front();
  const JoinedPoint* predicted = best;
  for (const JoinedPoint& point : group.points) {
    best = point.measured_time() < best->measured_time() ? &point : best;
    predicted = point.predicted.time < predicted->predicted.time ? &point : predicted;
    const KernelConfig config = parse_kernel_config(point.measured.point.config);
    const Seconds time = point.measured_time();
    if (!splits_k(config.schedule)) {
      keep_faster(row.best_whole, time);
    }
    if (!(config.tiling == at.tiling) || config.ctas_per_sm != at.ctas_per_sm) {
      continue;
    }
    if (config == at) {
      row.whole = time;
      row.waves = static_cast<double>(tiles.num_tiles()) / workers;
    }
    if (splits_k(config.schedule)) {
      Seconds& fastest = row.split.try_emplace(config.schedule, time).first->second;
      fastest = std::min(fastest, time);
    }
    if (config.schedule == rule.schedule &&
        static_cast<u32>(config.decomposition.splits) == rule.splits) {
      keep_faster(by_rule_and_splits, time);
    }
  }
  row.best = best->measured_time();
  row.best_config = best->measured.point.config;
  row.by_model = predicted->measured_time();
  row.model_config = predicted->measured.point.config;
  row.by_rule = !splits_k(rule.schedule)         ? row.whole
                : !splits_equally(rule.schedule) ? split_by(row, rule.schedule)
                : by_rule_and_splits             ? by_rule_and_splits
                                                 : split_by(row, Schedule::kStreamK);
  if (group.cublaslt_top1) {
    row.cublaslt_top1 = group.cublaslt_top1->time->median;
  }
  if (group.cublaslt_best) {
    row.cublaslt_best = group.cublaslt_best->time->median;
  }
  return row;
}

std::string cell(const std::optional<Seconds>& time) {
  return time ? fmt::format("{:.1f}", time->value * kToMicro) : "";
}

std::string geomean_text(const Values& ratios) {
  return ratios.empty() ? "-" : fmt::format("{:.3f} ({} shapes)", geomean(ratios), ratios.size());
}

/// The lines below the table.
std::string in_sum(const std::vector<DecompositionRow>& rows) {
  Values model, rule, tails, chosen_splits, top1, best16, splits_win;
  for (const DecompositionRow& row : rows) {
    model.push_back(row.best / row.by_model);
    if (row.by_rule) {
      rule.push_back(row.best / *row.by_rule);
    }
    const double tail = row.waves - std::floor(row.waves);
    if (row.whole && row.best_split() && row.waves > 1 && tail > 0 && tail < kNearlyEmpty) {
      tails.push_back(*row.whole / *row.best_split());
    }
    const bool splits = splits_k(parse_kernel_config(row.model_config).schedule);
    if (splits && row.best_whole) {
      chosen_splits.push_back(*row.best_whole / row.by_model);
    }
    if (splits_k(parse_kernel_config(row.best_config).schedule) && row.best_whole) {
      splits_win.push_back(*row.best_whole / row.best);
    }
    if (row.cublaslt_top1) {
      top1.push_back(*row.cublaslt_top1 / row.best);
    }
    if (row.cublaslt_best) {
      best16.push_back(*row.cublaslt_best / row.best);
    }
  }
  std::string text;
  const auto line = [&text](std::string_view what, const std::string& value) {
    text += fmt::format("- {}: {}\n", what, value);
  };
  line("the model's choice, of the best measured, geomean", geomean_text(model));
  line("the published rule's at the one tile, of the best measured", geomean_text(rule));
  line("last wave under a quarter full: whole tiles' time over the best split's, same tile",
       geomean_text(tails));
  line("where the model splits K: the best whole tiles' time over its choice's",
       chosen_splits.empty()
           ? "nowhere"
           : fmt::format("{}, least {:.3f}", geomean_text(chosen_splits),
                         *std::min_element(chosen_splits.begin(), chosen_splits.end())));
  line("where a split is fastest: the best whole tiles' time over its time",
       splits_win.empty() ? "nowhere" : geomean_text(splits_win));
  line("cuBLASLt's first choice over the best of ours", geomean_text(top1));
  line("cuBLASLt's best of 16 over the best of ours", geomean_text(best16));
  return text;
}

}  // namespace

std::optional<Seconds> DecompositionRow::best_split() const {
  std::optional<Seconds> fastest;
  for (const auto& [schedule, time] : split) {
    keep_faster(fastest, time);
  }
  return fastest;
}

std::vector<DecompositionRow> decomposition_rows(const GpuSpec& gpu, const KernelConfig& at,
                                                 const std::vector<JoinedGroup>& groups) {
  std::vector<DecompositionRow> rows;
  for (const JoinedGroup& group : groups) {
    if (!group.points.empty() && group.regime == Regime::kBurst &&
        group.points.front().measured.point.op == Op::kGemm) {
      rows.push_back(row_of(gpu, at, group));
    }
  }
  return rows;
}

std::string decomposition_tables(const KernelConfig& at,
                                 const std::vector<DecompositionRow>& rows) {
  auto splitting = kEverySchedule | std::views::filter(splits_k);
  std::string titles, rules;
  for (const Schedule schedule : splitting) {
    titles += fmt::format(" {}-K{} |", splits_equally(schedule) ? "split" : "stream",
                          traits_of(schedule).hybrid ? " hybrid" : "");
    rules += "--:|";
  }
  std::string text = fmt::format(
      "Whole tiles and what splits K: at the tile of `{}`. *waves*: of its tiles. *rule*: what the "
      "published rule chooses at that tile; *model's choice*: the predicted fastest of all that "
      "was "
      "measured.\n\n"
      "| M x N x K | waves | whole tiles |{} rule | best whole tiles | best | model's choice | "
      "cuBLASLt top-1 | best of 16 | fastest |\n"
      "|---|--:|--:|{}--:|--:|--:|--:|--:|--:|---|\n",
      to_text(at), titles, rules);
  for (const DecompositionRow& row : rows) {
    text += fmt::format("| {} | {} | {} |", to_text(row.shape),
                        row.waves > 0 ? fmt::format("{:.2f}", row.waves) : "", cell(row.whole));
    for (const Schedule schedule : splitting) {
      text += fmt::format(" {} |", cell(split_by(row, schedule)));
    }
    text += fmt::format(" {} | {} | {} | {} | {} | {} | `{}` |\n", cell(row.by_rule),
                        cell(row.best_whole), cell(row.best), cell(row.by_model),
                        cell(row.cublaslt_top1), cell(row.cublaslt_best),
                        short_text(parse_kernel_config(row.best_config)));
  }
  return text + "\nMicroseconds, burst. In sum:\n\n" + in_sum(rows);
}

}  // namespace tilecast
