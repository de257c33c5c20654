// Timelines of chosen kernels: as the kernel wrote them down, and as the simulator has them, on two
// SMs each. Times are cycles of the mean SM clock since the kernel began.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "model/analytic/occupancy.h"
#include "model/base/error.h"
#include "model/sim/simulate.h"
#include "model/tile/short_config_text.h"
#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

constexpr std::size_t kSms = 2;
constexpr double kPicosecond = 1e-12;

/// One kernel's spans as one side has them.
class SpanWriter {
 public:
  SpanWriter(DataTable& table, const TimelineInput& kernel, const char* side, Hertz clock)
      : table_(table),
        kernel_(problem_text(kernel.problem) + " " + short_text(kernel.config)),
        side_(side),
        clock_(clock) {}

  /// The first SMs alone, role by role; CTAs are numbered per SM.
  void add(std::vector<TileSpan> tiles) {
    std::map<i32, std::set<i32>> ctas;  // by SM
    for (const TileSpan& tile : tiles) {
      ctas[tile.sm].insert(tile.cta);
    }
    while (ctas.size() > kSms) {
      ctas.erase(std::prev(ctas.end()));
    }
    const auto place = [](const TileSpan& tile) {
      return std::tuple(tile.sm, tile.cta, tile.warpgroup, tile.begin.ps);
    };
    std::sort(tiles.begin(), tiles.end(),
              [&](const TileSpan& a, const TileSpan& b) { return place(a) < place(b); });
    for (const TileSpan& tile : tiles) {
      if (const auto sm = ctas.find(tile.sm); sm != ctas.end()) {
        const auto cta = std::distance(sm->second.begin(), sm->second.find(tile.cta));
        add(tile,
            fmt::format("{} SM{}.{} {}", side_, std::distance(ctas.begin(), sm) + 1, cta + 1,
                        tile.role == TileRole::kLoads ? std::string("load")
                                                      : fmt::format("wg{}", tile.warpgroup + 1)));
      }
    }
  }

 private:
  void add(const TileSpan& tile, const std::string& lane) {
    const bool loads = tile.role == TileRole::kLoads;
    span(lane, tile, loads ? "wait" : "load", tile.begin, tile.first_operands);
    if (loads) {
      span(lane, tile, "issue", tile.first_operands, tile.stored);
      return;
    }
    span(lane, tile, "multiply", tile.first_operands, tile.multiplied);
    Picoseconds done = tile.multiplied;
    if (tile.reduction) {
      span(lane, tile, "await", done, tile.reduction->waited);
      span(lane, tile, "reduce", tile.reduction->waited, tile.reduction->reduced);
      done = tile.reduction->reduced;
    }
    span(lane, tile, "store", done, tile.stored);
  }

  void span(const std::string& lane, const TileSpan& tile, const char* what, Picoseconds from,
            Picoseconds to) {
    const auto kcycles = [&](Picoseconds time) {
      return static_cast<double>(time.ps) * kPicosecond * clock_.value * kToKilocycles;
    };
    if (from < to) {
      table_.rows.push_back({kernel_, side_, lane, std::string(what),
                             fmt::format("{}, {}", tile.tile_m, tile.tile_n), kcycles(from),
                             kcycles(to)});
    }
  }

  DataTable& table_;
  std::string kernel_, side_;
  Hertz clock_;
};

/// False where the simulator has no processes for the schedule.
bool add_simulated(DataTable& table, const GpuSpec& gpu, const TimelineInput& kernel, Hertz clock) {
  std::vector<TileSpan> tiles;
  try {
    simulate_gemm(gpu, kernel.problem, kernel.config,
                  {resident_ctas(gpu, kernel.config), resident_workers(gpu, kernel.config)}, clock,
                  {.activity = nullptr, .tiles = &tiles});
  } catch (const ConfigError&) {
    return false;
  }
  SpanWriter(table, kernel, "simulated", clock).add(tiles);
  return true;
}

}  // namespace

MaybeSection timelines_section(const ReportInput& input) {
  if (input.timelines.empty()) {
    return std::nullopt;
  }
  DataTable table{"timelines",
                  "Timelines",
                  {{.key = "kernel", .title = "kernel"},
                   {.key = "side", .title = "side"},
                   {.key = "lane", .title = "lane"},
                   {.key = "span", .title = "span"},
                   {.key = "tile", .title = "tile"},
                   {.key = "from_kcycles", .title = "from", .unit = "kcycles", .digits = 6},
                   {.key = "to_kcycles", .title = "to", .unit = "kcycles", .digits = 6}},
                  {},
                  false};
  Section section{.id = "timelines",
                  .title = "Timelines, measured and simulated",
                  .text = "",
                  .files = {},
                  .commands = {}};
  std::string not_simulated;
  for (const TimelineInput& kernel : input.timelines) {
    const Hertz clock = input.gpu.spec.clock ? input.gpu.spec.clock->tensor_plateau : Hertz{1e9};
    SpanWriter(table, kernel, "measured", clock).add(tile_spans(kernel.records, clock));
    if (!add_simulated(table, input.gpu.spec, kernel, clock)) {
      not_simulated += fmt::format(" `{}`", short_text(kernel.config));
    }
    section.files.push_back(kernel.file);
  }
  section.text =
      "When each role of two SMs worked on which tile, in thousands of SM cycles since the kernel "
      "began. A consumer's tile is *load* (waiting for its first K block), *multiply* and *store*; "
      "where K is split *await* and *reduce* come before the store; a producer's is *wait* and "
      "*issue*." +
      (not_simulated.empty() ? "" : " The simulator has no processes for:" + not_simulated + ".");
  const TimelineInput& first = input.timelines.front();
  const Asked asked{first.problem, to_text(first.config)};
  section.commands = {explain_command(input, asked, " --no-best --trace OUT.json"),
                      timeline_command(asked, " --out OUT.json --csv CSV")};
  section.charts = {
      {"timelines",
       "Two SMs of one kernel",
       "Above as the kernel recorded it, below as simulated. *SM1.2*: the second CTA "
       "on the first of the two SMs; *load*: its producer; *wg1*: its first consumer warpgroup.",
       {"timelines"},
       {{"kernel", "Kernel", true, problem_text(first.problem) + " " + short_text(first.config)}}}};
  section.tables = {std::move(table)};
  return section;
}

}  // namespace tilecast
