// Writes the list of problems, with the model's top kernels and recorded timelines of each.

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "model/base/chrome_trace.h"
#include "model/base/error.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/sim/simulate.h"
#include "model/ops/short_config_text.h"
#include "reports/report_json.h"

namespace tilecast {
namespace {

constexpr std::size_t kShown = 5, kSms = 2;

Json micros(Seconds time) { return shown_number(time.value * kToMicro); }

Json problem_json(const JoinedGroup& group, const char* source) {
  std::vector<const JoinedPoint*> points;
  for (const JoinedPoint& point : group.points) {
    points.push_back(&point);
  }
  std::ranges::stable_sort(points, {},
                           [](const JoinedPoint* point) { return point->predicted.time; });
  const JoinedPoint& best = **std::ranges::min_element(
      points, {}, [](const JoinedPoint* point) { return point->measured_time(); });
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(kShown, points.size()); ++i) {
    rows.push_back({short_text(points[i]->predicted.config), micros(points[i]->predicted.time),
                    micros(points[i]->measured_time())});
  }
  std::string text = problem_text(group.problem);
  text += group.inputs == Inputs::kNormal ? "" : fmt::format(", {}", to_text(group.inputs));
  text +=
      group.l2_state == L2State::kRotating ? "" : fmt::format(", L2 {}", to_text(group.l2_state));
  Json json{{"problem", text},
            {"class", problem_class(group.problem)},
            {"regime", to_text(group.regime)},
            {"source", source},
            {"kernels", points.size()},
            {"top", std::move(rows)},
            {"fastest",
             {short_text(best.predicted.config), micros(best.predicted.time),
              micros(best.measured_time())}}};
  for (const auto& [key, row] : {std::pair("cublaslt", group.baseline(kCublasltTop1)),
                                 std::pair("cublaslt_best", group.baseline(kCublasltBest))}) {
    if (row != nullptr) {
      json[key] = micros(row->time->median);
    }
  }
  return json;
}

/// Writes the spans of one kernel's first SMs by role; CTAs are numbered per SM.
class SpanWriter {
 public:
  SpanWriter(Json& rows, const char* side, Hertz clock) : rows_(rows), side_(side), clock_(clock) {}

  void add(std::vector<TileSpan> tiles) {
    std::map<i32, std::set<i32>> ctas;  // CTAs by SM
    for (const TileSpan& tile : tiles) {
      ctas[tile.sm].insert(tile.cta);
    }
    while (ctas.size() > kSms) {
      ctas.erase(std::prev(ctas.end()));
    }
    std::ranges::sort(tiles, {}, [](const TileSpan& tile) {
      return std::tuple(tile.sm, tile.cta, tile.warpgroup, tile.begin.ps);
    });
    for (const TileSpan& tile : tiles) {
      if (const auto sm = ctas.find(tile.sm); sm != ctas.end()) {
        lane_ = fmt::format(
            "{} SM{}.{} {}", side_, std::distance(ctas.begin(), sm) + 1,
            std::distance(sm->second.begin(), sm->second.find(tile.cta)) + 1,
            tile.role == TileRole::kLoads ? "load" : fmt::format("wg{}", tile.warpgroup + 1));
        for_each_part(tile, [&](const char* name, Picoseconds from, Picoseconds to) {
          span(name, from, to);
        });
      }
    }
  }

 private:
  void span(const char* name, Picoseconds from, Picoseconds to) {
    const auto kcycles = [&](Picoseconds time) {
      constexpr double kPicosecond = 1e-12;
      return shown_number(static_cast<double>(time.ps) * kPicosecond * clock_.value * kToKilo);
    };
    if (from < to) {
      rows_.push_back({lane_, name, kcycles(from), kcycles(to)});
    }
  }

  Json& rows_;
  const char* side_;
  Hertz clock_;
  std::string lane_;
};

}  // namespace

Json problems_json(const ReportInput& input) {
  Json problems = Json::array();
  std::set<std::pair<std::string, std::string>> seen;
  const auto add = [&](const JoinedData& data, const char* source) {
    for (const JoinedGroup& group : data.groups) {
      if (group.points.empty()) {
        continue;
      }
      Json problem = problem_json(group, source);
      if (seen.emplace(problem["problem"], problem["regime"]).second) {
        problems.push_back(std::move(problem));
      }
    }
  };
  add(input.judged.data, "measured");
  if (input.whole_space) {
    add(input.whole_space->data, "whole_space");
  }
  return problems;
}

Json timelines_json(const ReportInput& input) {
  Json timelines = Json::array();
  const GpuSpec& gpu = input.gpu;
  const Hertz clock = gpu.clock ? gpu.clock->tensor_plateau : Hertz{1e9};
  for (const TimelineInput& kernel : input.timelines) {
    Json spans = make_table({"lane", "span", "from", "to"});
    SpanWriter(spans["rows"], "recorded", clock).add(tile_spans(kernel.records, clock));
    std::vector<TileSpan> tiles;
    try {
      simulate_gemm(gpu, kernel.problem, kernel.config,
                    {resident_ctas(gpu, kernel.config), resident_workers(gpu, kernel.config)},
                    clock, {.activity = nullptr, .tiles = &tiles});
    } catch (const ConfigError&) {
      continue;  // the schedule cannot be simulated
    }
    SpanWriter(spans["rows"], "simulated", clock).add(tiles);
    timelines.push_back({{"problem", problem_text(kernel.problem)},
                         {"config", short_text(kernel.config)},
                         {"spans", std::move(spans)}});
  }
  return timelines;
}

}  // namespace tilecast
