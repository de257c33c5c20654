// Wave quantisation: one tile more than the SMs hold, and the last wave is nearly empty. Shown
// where problems differ in N alone: whole tiles of one size, as measured and predicted, and what
// cures the loss.
//
// The tile is that of the whole-tile configuration which was measured beside splits for most of
// them. Leaves out: the sustained regime, families of fewer than eight problems.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/analytic/occupancy.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/short_config_text.h"
#include "model/tile/tile_scheduler.h"
#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

constexpr std::size_t kFewest = 8;  // problems that make a curve

/// M, K and layout: what the problems of a curve have in common.
using Family = std::string;

Family family_of(const GemmProblem& problem) {
  return fmt::format("M = {}, K = {}{}", problem.shape.m, problem.shape.k,
                     problem.layout == Layout::kTn ? "" : ", nn");
}

using Curve = std::map<i64, const JoinedGroup*>;  // by N

std::map<Family, Curve> curves_of(const ReportInput& input) {
  std::map<Family, Curve> curves;
  for (const JoinedGroup& group : input.pool.groups) {
    const GemmProblem* problem = std::get_if<GemmProblem>(&group.problem);
    if (problem != nullptr && problem->dtype == ElementType::kFp16 && !group.points.empty() &&
        group.regime == Regime::kBurst && group.inputs == Inputs::kNormal &&
        group.l2_state == L2State::kRotating) {
      curves[family_of(*problem)][problem->shape.n] = &group;
    }
  }
  std::erase_if(curves, [](const auto& entry) { return entry.second.size() < kFewest; });
  return curves;
}

/// The whole-tile configuration that stands beside splits of K at its tile in most problems of the
/// curve, else in most problems; equal ones by text.
std::optional<std::string> common_config(const Curve& curve) {
  using Counts = std::pair<std::size_t, std::size_t>;  // beside a split, at all
  std::map<std::string, Counts> times;
  for (const auto& [n, group] : curve) {
    for (const JoinedPoint& point : group->points) {
      const KernelConfig& config = std::get<KernelConfig>(point.predicted.config);
      if (splits_k(config.schedule)) {
        continue;
      }
      const bool beside =
          std::any_of(group->points.begin(), group->points.end(), [&](const JoinedPoint& other) {
            const KernelConfig& split = std::get<KernelConfig>(other.predicted.config);
            return splits_k(split.schedule) && split.tiling == config.tiling;
          });
      Counts& own = times[point.measured.point.config];
      own.first += beside ? 1 : 0;
      ++own.second;
    }
  }
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == times.end() || most->second.second < kFewest ? std::nullopt
                                                              : std::optional(most->first);
}

void add_points(DataTable& table, const GpuSpec& gpu, const Family& family, const Curve& curve,
                const KernelConfig& at) {
  const u32 workers = static_cast<u32>(resident_workers(gpu, at));
  for (const auto& [n, group] : curve) {
    const GemmProblem& problem = std::get<GemmProblem>(group->problem);
    if (n % at.tiling.block_n != 0) {
      continue;  // as many waves as the next whole width, with less to do
    }
    const double waves =
        static_cast<double>(make_tile_scheduler(problem, at, workers).num_tiles()) / workers;
    const auto add = [&](const char* series, const std::string& config, Seconds time) {
      table.rows.push_back({family, static_cast<double>(n), waves, std::string(series),
                            config_text(config), time.value * kToMicros,
                            *tflops(group->problem, time), config});
    };
    const JoinedPoint *best = nullptr, *split = nullptr;
    for (const JoinedPoint& point : group->points) {
      const KernelConfig& config = std::get<KernelConfig>(point.predicted.config);
      if (config == at) {
        add("whole tiles, measured", point.measured.point.config, point.measured_time());
        add("whole tiles, predicted", point.measured.point.config, point.predicted.time);
      }
      if (splits_k(config.schedule) && config.tiling == at.tiling &&
          (split == nullptr || point.measured_time() < split->measured_time())) {
        split = &point;
      }
      best = best == nullptr || point.measured_time() < best->measured_time() ? &point : best;
    }
    if (split != nullptr) {
      add("best split of K at this tile", split->measured.point.config, split->measured_time());
    }
    add("best of everything", best->measured.point.config, best->measured_time());
    if (group->cublaslt_top1) {
      add("cuBLASLt, first answer", std::string(kCublasltTop1), group->cublaslt_top1->time->median);
    }
  }
}

std::vector<std::string> curve_commands(const ReportInput& input, const Curve& curve,
                                        const std::string& config) {
  for (const auto& [n, group] : curve) {
    for (const JoinedPoint& point : group->points) {
      if (point.measured.point.config == config) {
        return point_commands(input, point);
      }
    }
  }
  return {};
}

}  // namespace

MaybeSection waves_section(const ReportInput& input) {
  DataTable table{"waves",
                  "Speed over N",
                  {{.key = "family", .title = "problems"},
                   {.key = "n", .title = "N", .digits = 9},
                   {.key = "waves", .title = "waves", .digits = 4},
                   {.key = "series", .title = "series"},
                   {.key = "config", .title = "configuration", .is_code = true},
                   {.key = "time_us", .title = "time", .unit = "us", .digits = 5},
                   {.key = "tflops", .title = "speed", .unit = "TFLOPS", .digits = 4},
                   canonical_column()},
                  {},
                  false};
  std::string tiles, longest;
  std::vector<std::string> commands;
  std::size_t most = 0;
  for (const auto& [family, curve] : curves_of(input)) {
    if (const std::optional<std::string> text = common_config(curve)) {
      const KernelConfig at = parse_kernel_config(*text);
      add_points(table, input.gpu.spec, family, curve, at);
      tiles += fmt::format(" {}: `{}`.", family, short_text(at));
      if (curve.size() > most) {
        most = curve.size();
        commands = curve_commands(input, curve, *text);
        longest = family;
      }
    }
  }
  if (table.rows.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> files = input.data_files();
  for (const std::string& file : input.more_files()) {
    files.push_back(file);
  }
  Section section{.id = "waves",
                  .title = "Wave quantisation",
                  .text = "*Waves*: tiles over what runs at the same time. The tiles:" + tiles,
                  .files = std::move(files),
                  .commands = std::move(commands)};
  section.charts = {
      {"waves",
       "Speed over the width of C",
       "Whole tiles of one size fall back each time a wave begins; splitting K at the "
       "same tile fills the last wave, and another tile often does better still.",
       {"waves"},
       {{"family", "Problems", true, longest}, {"series", "Series"}}}};
  section.tables = {std::move(table)};
  return section;
}

}  // namespace tilecast
