// Example measurement for the tests of this layer and of validate/compare.
#pragma once

#include <string>

#include "validate/record/measurement.h"

namespace tilecast {

/// A row of an fp16 tn GEMM that took `time`, with quartiles 1 % around it, at 1.5 GHz.
inline Measurement example_measurement(const std::string& config, Seconds time,
                                       GemmShape shape = {4096, 4096, 4096}) {
  Measurement m;
  m.context = {"h200_sxm", "GPU-0", "2025-01-31T12:00:00Z", "575.1", "12.9", "abc123"};
  m.point.problem = GemmProblem{shape, ElementType::kFp16, Layout::kTn};
  m.point.config = config;
  m.verified = true;
  m.time = TimeDistribution{time, time * 0.99, time * 1.01, 20};
  m.sm_clock = Hertz{1.5e9};
  m.cycles = cycles_of(time, *m.sm_clock);
  return m;
}

}  // namespace tilecast
