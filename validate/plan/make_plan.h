// A plan (validate/plan/work_plan.h) of what suites stand for.
#pragma once

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

}  // namespace tilecast
