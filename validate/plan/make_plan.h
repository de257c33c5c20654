// From points to a plan (validate/plan/work_plan.h), and from a shard of it to points. Those of
// suites are suite.h's.
#pragma once

#include <optional>
#include <vector>

#include "model/spec/chip_counters.h"
#include "model/spec/gpu_spec.h"
#include "validate/plan/suite.h"
#include "validate/plan/work_plan.h"

namespace tilecast {

/// Peak rates and nothing else; 0 where the GPU file lacks one.
Seconds rough_kernel_time(const GpuSpec& gpu, const Point& point);

/// Problem by problem, without the points that are refused; each with what RunCosts guesses from
/// the closed form's time of its kernel. A point that stands twice is planned once.
WorkPlan make_plan(const std::vector<SuitePoint>& points, const GpuSpec& gpu,
                   CounterChoice counters);

struct MeasurePlan {
  std::vector<SuitePoint> points;
  CounterChoice counters = CounterChoice::kNone;
};

/// Points of a list as a suite has them: in canonical text, with a refusal where one cannot be
/// measured here; in `regime` where it is given, else each in its own. Throws ConfigError for a
/// text that is none.
std::vector<SuitePoint> listed_points(const GpuSpec& gpu, const std::vector<ListedPoint>& list,
                                      std::optional<Regime> regime = {});

/// The plan is for this GPU.
MeasurePlan plan_of_shard(const GpuSpec& gpu, const WorkPlan& plan, const Shard& shard);

}  // namespace tilecast
