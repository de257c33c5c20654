#include <fmt/format.h>

#include "validate/compare/validation_text.h"

namespace tilecast {
namespace {

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

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
  for (const auto& [regime, figures] : v.time) {
    text += error_line(fmt::format("  time, {}", to_text(regime)), figures);
  }
  if (v.clock) {
    text += error_line("  SM clock", v.clock->error);
  }
  for (const auto& [schedule, figures] : v.by_schedule) {
    const std::string name = fmt::format("  time, {} ", to_text(schedule));
    text += fmt::format("{:<{}}{:>{}}{:>10}\n", name, std::max<std::size_t>(name.size(), 24),
                        figures.points,
                        name.size() < 24 ? 8 : std::max<int>(1, 32 - static_cast<int>(name.size())),
                        percent(figures.time_mape));
  }
  if (v.baselines.roofline_mape) {
    text += fmt::format("{:<24}{:>8}{:>10}\n", "  time, of a roofline", v.points,
                        percent(*v.baselines.roofline_mape));
  }
  return text;
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
  add("  best fixed tiling", b.fixed_tiling);
  add("  at random", b.random);
  add("  cuBLASLt top-1 of its best", b.cublaslt_top1_of_best);
  add("  cuBLASLt top-1, ours = 1", b.cublaslt_top1_of_ours);
  add("  cudaMemcpyAsync, ours = 1", b.runtime_copy_of_ours);
  return text;
}

}  // namespace

std::string to_table(const Validation& v) {
  std::string text = fmt::format(
      "{}, {}{}: {} points of {} rows{}\n({} of baselines, {} excluded, {} unmatched, {} "
      "repeated)\n\n",
      v.gpu, to_text(v.method), v.calibrated ? ", calibrated" : "", v.points, v.rows,
      v.simulated > 0 && v.simulated < v.points ? fmt::format(", {} simulated", v.simulated) : "",
      v.cublaslt, v.excluded, v.unmatched, v.repeated);
  text += error_table(v) + rank_table(v) + pick_table(v);
  if (v.interval) {
    text += fmt::format("\n90 % intervals hold {} of the measured times; median width {}\n",
                        percent(v.interval->coverage_90), percent(v.interval->median_width));
  }
  return text;
}

}  // namespace tilecast
