// The simulator beside measured rows: each kernel simulated at its own measured clock, so that only
// cycles are compared. The closed forms at the same clock stand beside it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/compare/statistics.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"

namespace tilecast {

struct SimulatedPoint {
  GroupKey group;
  KernelConfig config;
  Cycles measured, simulated, closed_form;
  Seconds time;
};

/// Every verified row of the files that has cycles and that the simulator takes, on all processors.
/// Throws ConfigError for a row of another GPU.
std::vector<SimulatedPoint> simulate_rows(const GpuSpec& gpu,
                                          const std::vector<MeasurementFile>& files);

struct SimulatedErrors {
  ErrorFigures simulated, closed_form;
  double simulated_tau, closed_form_tau;  // Kendall's, mean over groups; 0 where there is none
};

/// Of all points, of those within 20 % of their group's best time, and of each schedule.
struct SimulatedReport {
  SimulatedErrors all, near_best;
  std::map<std::string, SimulatedErrors> by_schedule;
};

SimulatedReport report_of(const std::vector<SimulatedPoint>& points);

}  // namespace tilecast
