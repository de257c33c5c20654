#include <fmt/format.h>

#include "model/base/shown_text.h"
#include "validate/compare/validation.h"

namespace tilecast {
namespace {

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

std::string points(double fraction) { return fmt::format("{:.1f} pts", 100 * fraction); }

std::string error_line(std::string_view name, const ErrorFigures& f) {
  return fmt::format("{:<24}{:>8}{:>10}{:>10}{:>10}{:>10}\n", name, f.points, percent(f.mape),
                     percent(f.median), percent(f.p90), percent(f.bias));
}

std::string ratio_line(std::string_view name, const RatioFigures& f) {
  return fmt::format("{:<32}{:>8}{:>10.3f}{:>10.3f}{:>10.3f}\n", name, f.groups, f.geomean, f.p10,
                     f.min);
}

std::string error_table(const Validation& v) {
  std::string text = fmt::format("{:<24}{:>8}{:>10}{:>10}{:>10}{:>10}\n", "error", "points", "mean",
                                 "median", "p90", "bias");
  if (v.cycles) {
    text += error_line("  cycles", *v.cycles);
  }
  if (v.cycles_near_best) {
    text += error_line("  cycles, near best", *v.cycles_near_best);
  }
  for (const auto& [regime, figures] : v.time) {
    text += error_line(fmt::format("  time, {}", to_text(regime)), figures);
  }
  if (v.clock) {
    text += error_line("  SM clock", v.clock->error);
  }
  if (v.bytes.l2_to_sm) {
    text += error_line("  L2-to-SM bytes", *v.bytes.l2_to_sm);
  }
  if (v.bytes.dram_read) {
    text += error_line("  DRAM read bytes", *v.bytes.dram_read);
  }
  if (v.bytes.l2_hit) {  // shows a difference of two percentages
    text += fmt::format("{:<24}{:>8}{:>10}{:>30}\n", "  L2 hit rate", v.bytes.l2_hit->points,
                        points(v.bytes.l2_hit->mean_error), points(v.bytes.l2_hit->bias));
  }
  if (v.baselines.roofline_mape) {
    text += fmt::format("{:<24}{:>8}{:>10}\n", "  roofline baseline, time", v.points,
                        percent(*v.baselines.roofline_mape));
  }
  return text;
}

template <class Key>
std::string part_lines(const std::map<Key, PartFigures>& parts) {
  std::string text;
  for (const auto& [part, f] : parts) {
    const auto or_none = [](const std::optional<double>& figure) {
      return figure ? percent(*figure) : "-";
    };
    text +=
        fmt::format("{:<24}{:>8}{:>10}{:>9}{:>9}{:>9}{:>9}\n", fmt::format("  {}", to_text(part)),
                    f.points, percent(f.time_mape), percent(f.time_median), or_none(f.cycles_mape),
                    or_none(f.cycles_median), percent(f.coverage));
  }
  return text;
}

std::string part_table(const Validation& v) {
  if (v.points == 0) {
    return "";
  }
  return fmt::format("\n{:<24}{:>8}{:>10}{:>9}{:>9}{:>9}{:>9}\n", "by schedule", "points", "time",
                     "median", "cycles", "median", "inside") +
         part_lines(v.by_schedule) + "by bottleneck\n" + part_lines(v.by_limiter) +
         "by measured time\n" + part_lines(v.by_size);
}

std::string rank_table(const Validation& v) {
  std::string text = fmt::format("\n{:<32}{:>8}{:>10}{:>10}{:>10}\n", "order within a shape",
                                 "shapes", "Kendall", "near best", "Spearman");
  for (const auto& [regime, f] : v.rank) {
    text += fmt::format("{:<32}{:>8}{:>10.2f}{:>10}{:>10.2f}\n",
                        fmt::format("  time, {}", to_text(regime)), f.shapes, f.kendall,
                        f.kendall_near_best ? fmt::format("{:.2f}", *f.kendall_near_best) : "-",
                        f.spearman);
  }
  if (v.clock && v.clock->kendall) {
    text += fmt::format("{:<32}{:>8}{:>10.2f}\n", "  SM clock", "", *v.clock->kendall);
  }
  if (v.clock && v.clock->pairs_ordered) {
    text += fmt::format("  {} of {} pairs with SM clocks over 2 % apart are in order\n",
                        percent(*v.clock->pairs_ordered), v.clock->pairs);
  }
  return text;
}

std::string pick_table(const Validation& v) {
  std::string text = fmt::format("\n{:<32}{:>8}{:>10}{:>10}{:>10}\n", "speed of the pick, best = 1",
                                 "shapes", "geomean", "p10", "worst");
  for (const auto& [regime, picks] : v.pick) {
    for (const auto& [count, figures] : picks) {
      text += ratio_line(fmt::format("  top {}, {}", count, to_text(regime)), figures);
    }
  }
  const Baselines& b = v.baselines;
  const auto add = [&](std::string_view name, const std::optional<RatioFigures>& figures) {
    if (figures) {
      text += ratio_line(name, *figures);
    }
  };
  add("  by fewest cycles", b.pick_by_cycles);
  add(b.fixed_tiling_chosen_here ? "  best fixed tiling" : "  fixed tiling of the fit",
      b.fixed_tiling);
  add("  at random", b.random);
  add("  cuBLASLt top-1 of its best", b.cublaslt_top1_of_best);
  add("  cuBLASLt top-1, aligned", b.cublaslt_aligned);
  add("  cuBLASLt top-1, unaligned", b.cublaslt_odd);
  add("  cudaMemcpyAsync", b.runtime_copy_of_ours);
  if (b.cublaslt_top1_of_ours || b.runtime_copy_of_ours) {
    text +=
        "  (a library's speed relative to tilecast's best measured kernel; aligned: all\n"
        "  dimensions are multiples of 8, else most cuBLASLt kernels lack wide loads)\n";
  }
  return text;
}

std::string_view calibration_text(const Validation& v) {
  return !v.calibrated ? "" : v.corrected ? ", calibrated" : ", calibrated without correction";
}

}  // namespace

std::string to_table(const Validation& v) {
  std::string text = fmt::format(
      "{}, {}{}: {} of {}\n({} of baselines, {} excluded, {} unmatched, {} "
      "repeated{})\n\n",
      v.gpu, to_text(v.method), calibration_text(v), counted(v.points, "point"),
      counted(v.rows, "row"), v.cublaslt, v.excluded, v.unmatched, v.repeated,
      v.simulated > 0 && v.simulated < v.points ? fmt::format(", {} simulated", v.simulated) : "");
  text += error_table(v) + part_table(v) + rank_table(v) + pick_table(v);
  if (v.interval) {
    text += fmt::format("\n90 % intervals cover {} of the measured times; median width {}\n",
                        percent(v.interval->coverage_90), percent(v.interval->median_width));
  }
  return text + to_table(v.worst) + to_table(v.worst_picks);
}

}  // namespace tilecast
