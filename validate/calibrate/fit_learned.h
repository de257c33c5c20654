// What measured rows say beyond fitted constants, for closed forms and for simulation: two Gaussian
// processes (model/learn/learned.h) over the same rows.
//
// Lengths are those by which left-out problems are expected best (kernel_lengths.h), on a part of
// the rows; where that leaves some out, the mean of several parts' lengths, since one part's follow
// its chance. Where there are many rows some of them, drawn by a seed, stand for all
// (process_weights.h). All that is said of errors, and how far intervals reach, comes from rows
// left out, a tenth of the problems at a time.
//
// Where few rows are a GPU's own, those of another one's calibration fill the places that are left
// (prior_rows.h). They are moved by what own rows are off from them in the median, each output by
// its own, and how much noisier they are than own rows is chosen by own rows of problems that both
// leave out. Many own rows leave no place for them; without any they alone are used, and no more is
// said than they leave open.
//
// The constants themselves and the lengths have seen all rows, which makes the left-out errors a
// little too small; problems that a split keeps from the fit altogether show by how much
// (validate). Checked by: fit_learned_test.cpp.
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

/// Mean errors: of the physics alone, and with what other problems' rows say.
struct LeftOutError {
  double cycles_without = 0, cycles = 0, cycles_near_best = 0;
  double clock_without = 0, clock = 0;  // without: at the measured cycles
  double width = 0;                     // of the interval, over the time; median
};

/// What another GPU's rows are worth here, by simulation where that is.
struct PriorGain {
  std::string gpu;
  std::size_t rows;         // of it
  double noise;             // their variance over own ones'
  double cycles, clock;     // own rows over what they say, in the median, as logarithms
  LeftOutError own, prior;  // by own rows alone; by the other GPU's alone, moved by these
};

struct LearnedFit {
  LearnedModel model;
  LeftOutError analytic, simulated;
  std::optional<PriorGain> prior = {};
};

/// `simulated`: each row; empty where nothing is, and the two are the same.
LearnedFit fit_learned(const GpuSpec& gpu, const FitRows& rows,
                       const std::vector<SimulatedRow>& simulated, const LearnedBefore& before,
                       unsigned threads, const std::function<void(const std::string&)>& progress);

}  // namespace tilecast
