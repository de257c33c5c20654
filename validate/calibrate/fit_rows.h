// Measured GEMMs as a fit takes them: right, timed, of normal inputs, with what the closed form
// needs of each precomputed. Checked by: fit_rows_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/base/regime.h"
#include "model/gemm/form/closed_form.h"
#include "model/spec/gpu_spec.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

struct FitRow {
  Point point;
  GemmProblem problem;  // the point's, fp8 in pairs
  KernelConfig config;  // likewise
  GemmWork work;        // of the GPU file; no fitted constant changes it
  Regime regime;
  Cycles cycles;
  Hertz clock;
  Seconds time;
  double weight;  // rows near the best of their problem and regime count more
  int group;      // its sides, whatever type and layout, numbered from 0
};

struct FitRows {
  std::vector<FitRow> rows;
  int problems = 0, groups = 0;
  std::size_t left_out =
      0;  // other ops, baselines, other inputs, not right, refused, or stand again
};

/// Baselines, memory-bound kernels and rows that the model refuses are left out. Throws ConfigError
/// where fewer than `least` remain, or a row is of another GPU.
FitRows fit_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files, std::size_t least);

}  // namespace tilecast
