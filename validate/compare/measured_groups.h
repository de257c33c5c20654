// Measurements of GEMMs by problem and regime, without predictions.
// Checked by: dataset_tables_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/tile/kernel_config.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

/// A verified row of one of our kernels.
struct MeasuredConfig {
  KernelConfig config;
  Measurement row;

  Seconds time() const { return row.time->median; }
};

struct MeasuredGroup {
  GemmProblem problem;
  Regime regime = Regime::kBurst;
  std::string file;                     // that its first row stands in
  std::vector<MeasuredConfig> configs;  // one at least, in the order of the files
  std::optional<Seconds> cublaslt_top1, cublaslt_best;

  const MeasuredConfig& fastest() const;
  const MeasuredConfig& fewest_cycles() const;
};

/// In the order in which the problems first stand in the files; of a point that stands twice the
/// last row. Left out: other ops, rows that are not `ok`, problems without a kernel of ours.
std::vector<MeasuredGroup> measured_groups(const std::vector<MeasurementFile>& files);

}  // namespace tilecast
