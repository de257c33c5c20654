// Measured GEMMs prepared for a fit: verified, timed, with normal inputs, and with the
// clock-independent part of the analytic model precomputed. Checked by: fit_rows_test.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/base/regime.h"
#include "model/gemm/form/closed_form.h"
#include "model/spec/gpu_spec.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"

namespace tilecast {

struct FitRow {
  Point point;
  GemmProblem problem;  // the point's problem, with fp8 elements as pairs
  KernelConfig config;  // the point's configuration, with fp8 elements as pairs
  GemmWork work;        // independent of fitted constants
  Regime regime;
  Cycles cycles;
  Hertz clock;
  Seconds time;
  Seconds window;  // summed time of the launches
  double weight;   // higher for rows near the best of their problem and regime
  int group;       // index of its shape, from 0, over all types and layouts
};

/// A row as the learner sees it, for any op.
struct LearnRow {
  Point point;
  Hertz clock;
  double weight;
  int group;
};
struct LearnRows {
  std::vector<LearnRow> rows;
  int groups = 0;
};

struct FitRows {
  std::vector<FitRow> rows;
  int problems = 0, groups = 0;
  // rows not used: other ops, baselines, other inputs; unverified, rejected, repeated or outdated;
  // short windows under continuous load if there are enough long ones
  std::size_t left_out = 0;
};

LearnRows learn_rows(const FitRows& rows);

/// Assigns rows to problems (both regimes, all types and layouts of a shape), and determines which
/// rows are near the best of their problem.
class RowGroups {
 public:
  int group_of(const Point& point, Seconds time);
  double weight_of(const Point& point, Seconds time) const;
  int groups() const { return static_cast<int>(shapes_.size()); }
  int problems() const { return static_cast<int>(problems_.size()); }

 private:
  std::map<std::string, int> shapes_;
  std::set<std::string> problems_;
  BestTimes best_;
};

/// Omits baselines, memory-bound kernels and rows that the model rejects. Throws ConfigError if
/// fewer than `least` rows remain, or if a row belongs to another GPU.
FitRows fit_rows(const GpuSpec& gpu, const std::vector<MeasurementFile>& files, std::size_t least);

}  // namespace tilecast
