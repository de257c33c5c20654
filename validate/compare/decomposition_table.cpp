#include "validate/compare/decomposition_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/analytic/occupancy.h"
#include "model/base/math.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/published_rule.h"
#include "model/tile/short_config_text.h"
#include "validate/compare/shown_figures.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr double kNearlyEmpty = 0.25;  // a last wave below this

void keep_faster(std::optional<Seconds>& kept, Seconds time) {
  kept = kept ? std::min(*kept, time) : time;
}

std::optional<Seconds>* column_of(DecompositionRow& row, Schedule schedule) {
  switch (schedule) {
    case Schedule::kSplitK:
      return &row.split_k;
    case Schedule::kSplitKHybrid:
      return &row.split_k_hybrid;
    case Schedule::kStreamK:
      return &row.stream_k;
    case Schedule::kStreamKHybrid:
      return &row.stream_k_hybrid;
    default:
      return nullptr;
  }
}

DecompositionRow row_of(const GpuSpec& gpu, const KernelConfig& at, const JoinedGroup& group) {
  DecompositionRow row{};
  const GemmProblem& problem = group.points.front().measured.point.problem;
  row.shape = problem.shape;
  const u32 workers = static_cast<u32>(resident_workers(gpu, at));
  const TileScheduler tiles = make_tile_scheduler(problem, at, workers);
  const i64 k_blocks = ceil_div<i64>(row.shape.k, at.tiling.block_k);
  const RuleChoice rule = published_rule(tiles.num_tiles(), workers, static_cast<i32>(k_blocks));
  std::optional<Seconds> by_split_rule;
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
    if (std::optional<Seconds>* column = column_of(row, config.schedule)) {
      keep_faster(*column, time);
    }
    if (rule.schedule == Schedule::kSplitK && config.schedule == Schedule::kSplitK &&
        static_cast<u32>(config.decomposition.splits) == rule.splits) {
      keep_faster(by_split_rule, time);
    }
  }
  row.best = best->measured_time();
  row.best_config = best->measured.point.config;
  row.by_model = predicted->measured_time();
  row.model_config = predicted->measured.point.config;
  if (rule.schedule == Schedule::kWarpSpecialized) {
    row.by_rule = row.whole;
  } else if (rule.schedule == Schedule::kSplitK) {
    row.by_rule = by_split_rule ? by_split_rule : row.stream_k;
  } else {
    row.by_rule = *column_of(row, rule.schedule);
  }
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
  for (const std::optional<Seconds>& time : {split_k, split_k_hybrid, stream_k, stream_k_hybrid}) {
    if (time) {
      keep_faster(fastest, *time);
    }
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
  std::string text = fmt::format(
      "Whole tiles and what splits K: at the tile of `{}`. *waves*: of its tiles. *rule*: what the "
      "published rule chooses at that tile; *model's choice*: the predicted fastest of all that "
      "was "
      "measured.\n\n"
      "| M x N x K | waves | whole tiles | split-K | split-K hybrid | stream-K | stream-K hybrid | "
      "rule | best whole tiles | best | model's choice | cuBLASLt top-1 | best of 16 | fastest |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
      to_text(at));
  for (const DecompositionRow& row : rows) {
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | `{}` |\n",
        to_text(row.shape), row.waves > 0 ? fmt::format("{:.2f}", row.waves) : "", cell(row.whole),
        cell(row.split_k), cell(row.split_k_hybrid), cell(row.stream_k), cell(row.stream_k_hybrid),
        cell(row.by_rule), cell(row.best_whole), cell(row.best), cell(row.by_model),
        cell(row.cublaslt_top1), cell(row.cublaslt_best),
        short_text(parse_kernel_config(row.best_config)));
  }
  return text + "\nMicroseconds, burst. In sum:\n\n" + in_sum(rows);
}

}  // namespace tilecast
