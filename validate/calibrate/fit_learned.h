// Trains the learned correction on the residuals of fitted constants, for the analytic model and
// for simulation: sums of trees (boost.h) for cycles, for the clock, and for the expected error.
//
// Errors and interval widths are cross-validated with a tenth of the problems held out at a time;
// the trees of the expected error are fitted to the errors of held-out rows.
//
// If a GPU has few rows, another GPU's calibration is a prior: a level is added to its trees, and
// their leaves move towards the GPU's rows. How far, or whether trees of its own are better, is
// chosen by the error on held-out problems.
//
// Constants are fitted to all rows, so the cross-validated errors are slightly optimistic; test
// problems that no fit uses show by how much (validate). Checked by: fit_learned_test.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/rank/prediction.h"
#include "model/spec/learned_model.h"
#include "validate/calibrate/fit_rows.h"
#include "validate/calibrate/seen_rows.h"

namespace tilecast {

/// An earlier calibration of another GPU, as a prior.
struct LearnedBefore {
  const LearnedModel* model = nullptr;  // null without a prior
  std::string gpu = {};
};

/// Mean errors: uncorrected, and corrected from other problems' rows.
struct LeftOutError {
  double cycles_without = 0, cycles = 0, cycles_near_best = 0;
  double clock_without = 0,
         clock = 0;  // `without` is the uncorrected error, at the measured cycles
  double width = 0;  // median width of the interval relative to time
};

/// One line of a table.
std::string error_line(std::string_view name, const LeftOutError& error);

/// Value of another GPU's correction here, by simulation if available.
struct PriorGain {
  std::string gpu;
  double cycles, clock;     // level of the GPU's rows over that correction, as logarithms
  LeftOutError own, prior;  // error with own trees only; with the prior and a level only
};

struct LearnedFit {
  LearnedModel model;
  LeftOutError analytic, simulated;
  std::optional<PriorGain> prior = {};
};

/// Rows of any op, as each method sees them: `seen` by simulation where `simulated`, else also by
/// closed form.
LearnedFit fit_learned(const LearnRows& rows, FeatureNames features, const SeenRows& closed,
                       const SeenRows& seen, bool simulated, const LearnedBefore& before,
                       unsigned threads, const std::function<void(const std::string&)>& progress);

/// Of GEMMs. `simulated`: one per row; if empty, both methods share the analytic correction.
LearnedFit fit_learned(const GpuSpec& gpu, const FitRows& rows,
                       const std::vector<SimulatedRow>& simulated, const LearnedBefore& before,
                       unsigned threads, const std::function<void(const std::string&)>& progress);

}  // namespace tilecast
