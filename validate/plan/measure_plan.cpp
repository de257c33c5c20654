#include "validate/plan/measure_plan.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tilecast {
namespace {

/// Why it cannot be measured here; empty where it can.
std::string why_not(const GpuSpec& gpu, const Point& point) {
  const std::string why = why_not_timed(point.regime, point.l2_state);
  return why.empty() ? why_not_measurable(gpu, problem_of(point), point.config) : why;
}

}  // namespace

std::vector<SuitePoint> listed_points(const GpuSpec& gpu, const std::vector<ListedPoint>& list,
                                      std::optional<Regime> regime) {
  std::vector<SuitePoint> points;
  for (const ListedPoint& listed : list) {
    Point point = listed.point;
    if (!is_baseline(point.config)) {
      point.config = to_text(parse_config(point.config));
    }
    point.regime = regime.value_or(point.regime);
    points.push_back({point, why_not(gpu, point), listed.drawn});
  }
  return points;
}

MeasurePlan plan_of_shard(const GpuSpec& gpu, const WorkPlan& plan, const Shard& shard) {
  const PlanRange range = range_of(plan, shard);
  std::vector<ListedPoint> listed;
  for (std::size_t i = range.first; i < range.end; ++i) {
    listed.push_back(plan.points[i].listed);
  }
  return {listed_points(gpu, listed), parse_counter_choice(plan.counters)};
}

}  // namespace tilecast
