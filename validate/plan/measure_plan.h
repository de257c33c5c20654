// The points and counters of a run of measuring that come from a list or from a plan's shard; those
// of suites are suite.h's.
#pragma once

#include <optional>
#include <vector>

#include "model/spec/chip_counters.h"
#include "model/spec/gpu_spec.h"
#include "validate/plan/suite.h"
#include "validate/plan/work_plan.h"
#include "validate/record/point_list.h"

namespace tilecast {

struct MeasurePlan {
  std::vector<SuitePoint> points;
  CounterChoice counters = CounterChoice::kNone;
};

/// As a suite has them: in canonical text, with a refusal where one cannot be measured here; in
/// `regime` where it is given, else each in its own. Throws ConfigError for a text that is none.
std::vector<SuitePoint> listed_points(const GpuSpec& gpu, const std::vector<ListedPoint>& list,
                                      std::optional<Regime> regime = {});

/// The plan is for this GPU.
MeasurePlan plan_of_shard(const GpuSpec& gpu, const WorkPlan& plan, const Shard& shard);

}  // namespace tilecast
