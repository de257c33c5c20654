#include "validate/plan/make_plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/predict.h"
#include "model/predict/roofline.h"
#include "validate/plan/measure_order.h"

namespace tilecast {
namespace {

Seconds predicted_time(const GpuSpec& gpu, const Point& point) {
  return is_baseline(point.config) ? rough_kernel_time(gpu, point)
                                   : predict_config(gpu, point.problem, parse_config(point.config),
                                                    point.regime, point.inputs, Method::kAnalytic)
                                         .time;
}

/// Returns why the point cannot be measured on this GPU; empty if it can.
std::string why_not(const GpuSpec& gpu, const Point& point) {
  const std::string why = why_not_timed(point.regime, point.l2_state);
  return why.empty() ? why_not_measurable(gpu, point.problem, point.config) : why;
}

}  // namespace

Seconds rough_kernel_time(const GpuSpec& gpu, const Point& point) {
  return roofline_time(gpu, point.problem).value_or(Seconds{0});
}

WorkPlan make_plan(const std::vector<SuitePoint>& points, const GpuSpec& gpu,
                   CounterChoice counters) {
  constexpr double kMicro = 1e6;
  std::vector<SuitePoint> run;
  std::set<std::string> seen;
  for (const SuitePoint& point : in_problems(points)) {
    if (point.refusal.empty() && seen.insert(key_of(point.point)).second) {
      run.push_back(point);
    }
  }
  const RunCosts costs(run, [&](const Point& point) { return predicted_time(gpu, point); });
  WorkPlan plan{.gpu = gpu.name, .counters = std::string(to_text(counters)), .points = {}};
  for (std::size_t i = 0; i < run.size(); ++i) {
    plan.points.push_back({{run[i].point, run[i].drawn},
                           std::max<i64>(1, std::llround(costs.expected(i).value * kMicro))});
  }
  return plan;
}

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
