#include "validate/compare/dataset_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "model/base/text.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/short_config_text.h"
#include "validate/compare/results_table.h"
#include "validate/compare/shown_figures.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr double kPicojoules = 1e12;
constexpr std::size_t kListed = 10;  // rows of a list of the worst or best

/// The name of the file without folder and endings: squares of data/squares.csv.gz.
std::string class_of(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.substr(0, name.find('.'));
}

std::vector<const MeasuredGroup*> of_regime(const std::vector<MeasuredGroup>& groups,
                                            Regime regime) {
  std::vector<const MeasuredGroup*> found;
  for (const MeasuredGroup& group : groups) {
    if (group.regime == regime && group.configs.size() > 1) {
      found.push_back(&group);
    }
  }
  return found;
}

std::string cycles_section(const std::vector<MeasuredGroup>& groups) {
  std::string rows;
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    std::map<std::string, Values> losses;
    for (const MeasuredGroup* group : of_regime(groups, regime)) {
      const double loss = group->fewest_cycles().time() / group->fastest().time();
      losses[class_of(group->file)].push_back(loss);
      losses["all"].push_back(loss);
    }
    for (const auto& [name, values] : losses) {
      if (name == "all" && losses.size() == 2) {
        continue;  // there is one class: its row says the same
      }
      const auto differ =
          std::count_if(values.begin(), values.end(), [](double x) { return x > 1; });
      rows += fmt::format("| {} | {} | {} | {} | {:.3f} | {:.3f} |\n", to_text(regime), name,
                          values.size(), differ, geomean(values),
                          *std::max_element(values.begin(), values.end()));
    }
  }
  return rows.empty() ? ""
                      : "### How far the fewest cycles are from the fastest\n\n"
                        "Time of the configuration with the fewest cycles over that of the fastest "
                        "one of its problem.\n\n"
                        "| regime | class | problems | not the same one | geomean | worst |\n"
                        "|---|---|--:|--:|--:|--:|\n" +
                            rows + "\n";
}

/// Configurations that differ in nothing but the order of their tiles.
struct Orders {
  const MeasuredGroup* group;
  std::vector<const MeasuredConfig*> configs;

  const MeasuredConfig& by_clock(bool highest) const {
    const auto less = [](const MeasuredConfig* a, const MeasuredConfig* b) {
      return *a->row.sm_clock < *b->row.sm_clock;
    };
    return highest ? **std::max_element(configs.begin(), configs.end(), less)
                   : **std::min_element(configs.begin(), configs.end(), less);
  }
  double clock_ratio() const {
    return *by_clock(true).row.sm_clock / *by_clock(false).row.sm_clock;
  }
  double cycles_ratio() const { return *by_clock(false).row.cycles / *by_clock(true).row.cycles; }
  double time_ratio() const { return by_clock(false).time() / by_clock(true).time(); }
  bool equal_in_cycles() const {
    constexpr double kEqual = 1.01;
    const auto [least, most] = std::minmax_element(
        configs.begin(), configs.end(), [](const MeasuredConfig* a, const MeasuredConfig* b) {
          return *a->row.cycles < *b->row.cycles;
        });
    return *(*most)->row.cycles / *(*least)->row.cycles < kEqual;
  }
};

std::vector<Orders> orders_of(const std::vector<const MeasuredGroup*>& groups) {
  std::vector<Orders> all;
  for (const MeasuredGroup* group : groups) {
    std::map<std::string, Orders> by_rest;
    for (const MeasuredConfig& one : group->configs) {
      KernelConfig rest = one.config;
      rest.raster = {RasterKind::kGroupedM, 1, Walk::kStrided};
      Orders& orders = by_rest[to_text(rest)];
      orders.group = group;
      orders.configs.push_back(&one);
    }
    for (const auto& [text, orders] : by_rest) {
      if (orders.configs.size() > 1) {
        all.push_back(orders);
      }
    }
  }
  return all;
}

/// short_text as two: the order of tiles, and everything else.
struct OrderText {
  std::string order, rest;

  explicit OrderText(const KernelConfig& config) {
    constexpr std::size_t kPlace = 8;  // of the order among the words
    const std::string text = short_text(config);
    const std::vector<std::string_view> words = split(text, ' ');
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i == kPlace) {
        order = words[i];
      } else {
        rest += (rest.empty() ? "" : " ") + std::string(words[i]);
      }
    }
  }
};

std::string raster_section(const std::vector<MeasuredGroup>& groups) {
  std::vector<Orders> all = orders_of(of_regime(groups, Regime::kBurst));
  const std::size_t kernels = all.size();
  std::erase_if(all, [](const Orders& orders) { return !orders.equal_in_cycles(); });
  if (all.empty()) {
    return "";
  }
  std::sort(all.begin(), all.end(),
            [](const Orders& a, const Orders& b) { return a.clock_ratio() > b.clock_ratio(); });
  Values clocks, times;
  for (const Orders& orders : all) {
    clocks.push_back((orders.clock_ratio() - 1) * kToPercent);
    times.push_back((orders.time_ratio() - 1) * kToPercent);
  }
  std::string text = fmt::format(
      "### What the order of tiles costs in clock\n\n"
      "{} kernels were measured in two orders or more, all else equal, in bursts; {} of them took "
      "the same cycles within 1 % in all their orders. Of these the order with the lowest clock "
      "has "
      "{:.2f} % less than the one with the highest in the median, and more than {:.2f} % in one of "
      "ten; it takes {:.2f} % and {:.2f} % more time. The {} widest:\n\n"
      "| M x N x K | kernel | orders | highest clock | lowest clock | cycles | time |\n"
      "|---|---|--:|---|---|--:|--:|\n",
      kernels, all.size(), median(clocks), quantile(clocks, 0.9), median(times),
      quantile(times, 0.9), std::min(kListed, all.size()));
  for (std::size_t i = 0; i < std::min(kListed, all.size()); ++i) {
    const Orders& orders = all[i];
    const MeasuredConfig &high = orders.by_clock(true), &low = orders.by_clock(false);
    const OrderText higher(high.config), lower(low.config);
    text +=
        fmt::format("| {} | `{}` | {} | `{}` {:.0f} MHz | `{}` {:.0f} MHz | {:.3f} | {:.3f} |\n",
                    gemm_problem_text(orders.group->problem), higher.rest, orders.configs.size(),
                    higher.order, high.row.sm_clock->value / kMega, lower.order,
                    low.row.sm_clock->value / kMega, orders.cycles_ratio(), orders.time_ratio());
  }
  return text + "\nCycles and time: of the lowest clock's order over the highest's.\n\n";
}

/// The fastest configuration of each schedule.
std::map<Schedule, const MeasuredConfig*> best_of_schedules(const MeasuredGroup& group) {
  std::map<Schedule, const MeasuredConfig*> best;
  for (const MeasuredConfig& one : group.configs) {
    const MeasuredConfig*& kept = best[one.config.schedule];
    kept = kept == nullptr || one.time() < kept->time() ? &one : kept;
  }
  return best;
}

std::string ladder_section(const std::vector<MeasuredGroup>& groups) {
  struct Rung {
    Values cycles, time;  // over blocked's
    Values energy;        // pJ per FLOP
  };
  std::map<Schedule, Rung> rungs;
  const auto energy = [](const MeasuredConfig& one, const GemmProblem& problem) {
    return one.row.power->value * one.time().value / gemm_flops(problem);
  };
  for (const MeasuredGroup& group : groups) {
    const std::map<Schedule, const MeasuredConfig*> best = best_of_schedules(group);
    const auto blocked = best.find(Schedule::kBlocked);
    for (const auto& [schedule, one] : best) {
      if (group.regime == Regime::kBurst && blocked != best.end()) {
        rungs[schedule].cycles.push_back(*one->row.cycles / *blocked->second->row.cycles);
        rungs[schedule].time.push_back(one->time() / blocked->second->time());
      }
      if (group.regime == Regime::kSustained && one->row.power) {
        rungs[schedule].energy.push_back(energy(*one, group.problem) * kPicojoules);
      }
    }
  }
  std::string rows;
  for (const auto& [schedule, rung] : rungs) {
    const auto cell = [](const Values& values) {
      return values.empty() ? std::string("-") : fmt::format("{:.3f}", geomean(values));
    };
    rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n", to_text(schedule), rung.cycles.size(),
                        cell(rung.cycles), cell(rung.time), rung.energy.size(), cell(rung.energy));
  }
  return "### What each rung saves in cycles and in energy\n\n"
         "The fastest configuration of each schedule, in bursts over the fastest `blocked` one of "
         "its problem, and sustained in pJ per FLOP (mean power x time; of the sustained rows, "
         "which are the fastest and a few others, so that columns are over different problems). "
         "Geometric means over problems.\n\n"
         "| schedule | problems | cycles | time | sustained | pJ per FLOP |\n"
         "|---|--:|--:|--:|--:|--:|\n" +
         rows + "\n";
}

std::string cublaslt_section(const std::vector<MeasuredGroup>& groups) {
  struct Line {
    const MeasuredGroup* group;
    double of_best, of_ours;
  };
  std::vector<Line> lines;
  Values of_best, of_ours;
  for (const MeasuredGroup* group : of_regime(groups, Regime::kBurst)) {
    if (group->cublaslt_top1 && group->cublaslt_best) {
      lines.push_back({group, *group->cublaslt_top1 / *group->cublaslt_best,
                       *group->cublaslt_top1 / group->fastest().time()});
      of_best.push_back(lines.back().of_best);
      of_ours.push_back(lines.back().of_ours);
    }
  }
  if (lines.empty()) {
    return "";
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return std::max(a.of_best, a.of_ours) > std::max(b.of_best, b.of_ours);
  });
  std::string text = fmt::format(
      "### Where cuBLASLt's first choice loses most\n\n"
      "Over {} problems in bursts its time is {:.3f} of the best of its first sixteen and {:.3f} "
      "of "
      "the best of ours (geometric means). Most where:\n\n"
      "| M x N x K | first choice us | over its best of 16 | over the best of ours | ours |\n"
      "|---|--:|--:|--:|---|\n",
      lines.size(), geomean(of_best), geomean(of_ours));
  for (std::size_t i = 0; i < std::min(kListed, lines.size()); ++i) {
    const Line& line = lines[i];
    text += fmt::format("| {} | {:.1f} | {:.3f} | {:.3f} | `{}` |\n",
                        gemm_problem_text(line.group->problem),
                        line.group->cublaslt_top1->value * kToMicro, line.of_best, line.of_ours,
                        short_text(line.group->fastest().config));
  }
  return text + "\n";
}

std::string split_section(const std::vector<MeasuredGroup>& groups) {
  struct Line {
    const MeasuredGroup* group;
    const MeasuredConfig *whole = nullptr, *split = nullptr;
    double gain() const { return whole->time() / split->time(); }
  };
  std::vector<Line> lines;
  for (const MeasuredGroup* group : of_regime(groups, Regime::kBurst)) {
    Line line{.group = group};
    for (const MeasuredConfig& one : group->configs) {
      const MeasuredConfig*& kept = splits_k(one.config.schedule) ? line.split : line.whole;
      kept = kept == nullptr || one.time() < kept->time() ? &one : kept;
    }
    if (line.whole != nullptr && line.split != nullptr) {
      lines.push_back(line);
    }
  }
  if (lines.empty()) {
    return "";
  }
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.gain() > b.gain(); });
  const auto pays =
      std::count_if(lines.begin(), lines.end(), [](const Line& line) { return line.gain() > 1; });
  std::string text = fmt::format(
      "### Where splitting K pays\n\n"
      "On {} of {} problems where both were measured the fastest kernel splits K. The {} with the "
      "largest gains:\n\n"
      "| M x N x K | whole tiles us | split us | gain | split | whole "
      "|\n|---|--:|--:|--:|---|---|\n",
      pays, lines.size(), std::min(kListed, lines.size()));
  for (std::size_t i = 0; i < std::min(kListed, lines.size()); ++i) {
    const Line& line = lines[i];
    text += fmt::format("| {} | {:.1f} | {:.1f} | {:.3f} | `{}` | `{}` |\n",
                        gemm_problem_text(line.group->problem), line.whole->time().value * kToMicro,
                        line.split->time().value * kToMicro, line.gain(),
                        short_text(line.split->config), short_text(line.whole->config));
  }
  return text + "\n";
}

}  // namespace

std::string dataset_tables(const std::vector<MeasuredGroup>& groups) {
  std::string text = cycles_section(groups) + raster_section(groups) + ladder_section(groups) +
                     cublaslt_section(groups) + split_section(groups);
  text.pop_back();
  return text;
}

}  // namespace tilecast
