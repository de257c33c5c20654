// Trains the learned correction on the residuals that remain after fitting constants, for the
// analytic model and for simulation: two Gaussian processes (model/learn/learned.h) over the same
// rows.
//
// Length scales minimize the error on held-out problems (kernel_lengths.h), on a subset of the
// rows, averaged over several subsets if one omits rows. If there are many rows, a random subset
// represents all (process_weights.h). Reported errors and interval widths are cross-validated with
// a tenth of the problems held out at a time.
//
// If a GPU has few rows, rows of another GPU's calibration fill the remaining slots (prior_rows.h).
// They are shifted by the median difference to the GPU's rows, separately for each output, and
// their noise is chosen to minimize the error on the GPU's rows of held-out problems. If the GPU
// has many rows, no slots remain for the prior; if it has none, the prior is used alone, with its
// uncertainty.
//
// Constants and length scales are fitted to all rows, so the cross-validated errors are slightly
// optimistic; test problems, which no fit uses, show by how much (validate). Checked by:
// fit_learned_test.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/rank/prediction.h"
#include "model/spec/learned_model.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/calibrate/fit_rows.h"
#include "validate/calibrate/prior_rows.h"
#include "validate/calibrate/seen_rows.h"

namespace tilecast {

/// Mean errors: without correction, and corrected from other problems' rows.
struct LeftOutError {
  double cycles_without = 0, cycles = 0, cycles_near_best = 0;
  double clock_without = 0,
         clock = 0;  // `without` is the uncorrected error, at the measured cycles
  double width = 0;  // median width of the interval relative to time
};

/// Formats one line of a table.
std::string error_line(std::string_view name, const LeftOutError& error);

/// What another GPU's rows contribute to this GPU's correction, by simulation if available.
struct PriorGain {
  std::string gpu;
  std::size_t rows;      // rows of that GPU
  double noise;          // variance relative to the GPU's rows
  double cycles, clock;  // median log ratio of the GPU's rows to its correction
  LeftOutError own,
      prior;  // error with the GPU's rows only; with the other GPU's rows only, shifted
};

struct LearnedFit {
  LearnedModel model;
  LeftOutError analytic, simulated;
  std::optional<PriorGain> prior = {};
};

/// Fits to rows of any op, as each method sees them: `seen` by simulation for rows that are
/// `simulated`, otherwise by the analytic model.
LearnedFit fit_learned(const LearnRows& rows, FeatureNames features, const SeenRows& closed,
                       const SeenRows& seen, bool simulated, const LearnedBefore& before,
                       unsigned threads, const std::function<void(const std::string&)>& progress);

/// Fits to rows of GEMMs. `simulated`: one entry per row; if empty, both methods use the analytic
/// correction.
LearnedFit fit_learned(const GpuSpec& gpu, const FitRows& rows,
                       const std::vector<SimulatedRow>& simulated, const LearnedBefore& before,
                       unsigned threads, const std::function<void(const std::string&)>& progress);

}  // namespace tilecast
