// Conversions between points and a plan (validate/plan/work_plan.h) or its shards. suite.h expands
// suites to points.
#pragma once

#include <optional>
#include <vector>

#include "model/spec/chip_counters.h"
#include "model/spec/gpu_spec.h"
#include "validate/plan/suite.h"
#include "validate/plan/work_plan.h"

namespace tilecast {

/// Roofline time from peak rates; 0 if the GPU file lacks one of them.
Seconds rough_kernel_time(const GpuSpec& gpu, const Point& point);

/// Orders points by problem, omits points that cannot be measured, and estimates each with
/// RunCosts, from the analytic time of its kernel. Repeated points are planned once.
WorkPlan make_plan(const std::vector<SuitePoint>& points, const GpuSpec& gpu,
                   CounterChoice counters);

struct MeasurePlan {
  std::vector<SuitePoint> points;
  CounterChoice counters = CounterChoice::kNone;
};

/// Converts the points of a list to the form of a suite's points: canonical configurations, with a
/// reason if one cannot be measured here, in `regime` if given, otherwise each in its regime.
/// Throws ConfigError for an invalid configuration.
std::vector<SuitePoint> listed_points(const GpuSpec& gpu, const std::vector<ListedPoint>& list,
                                      std::optional<Regime> regime = {});

/// The plan must be for this GPU.
MeasurePlan plan_of_shard(const GpuSpec& gpu, const WorkPlan& plan, const Shard& shard);

}  // namespace tilecast
