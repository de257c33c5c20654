// What measured rows say beyond fitted constants, for closed forms and for simulation: two Gaussian
// processes (model/predict/learned.h) over the same rows.
//
// Lengths are those by which left-out problems are expected best (kernel_lengths.h), on a part of
// the rows; where that leaves some out, the mean of several parts' lengths, since one part's follow
// its chance. Where there are many rows some of them, drawn by a seed, stand for all: their weights
// are such that all rows are met best, (K + Kn' / noise Kn) w = Kn' / noise y. All that is said of
// errors, and how far intervals reach, comes from rows left out, a tenth of the problems at a time.
//
// The constants themselves and the lengths have seen all rows, which makes the left-out errors a
// little too small; problems that a split keeps from the fit altogether show by how much
// (validate). Checked by: fit_learned_test.cpp.
#pragma once

#include <functional>

#include "model/predict/prediction.h"
#include "model/spec/learned_model.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/calibrate/fit_rows.h"

namespace tilecast {

/// Mean errors: of the physics alone, and with what other problems' rows say.
struct LeftOutError {
  double cycles_without = 0, cycles = 0, cycles_near_best = 0;
  double clock_without = 0, clock = 0;  // without: at the measured cycles
  double width = 0;                     // of the interval, over the time; median
};

struct LearnedFit {
  LearnedModel model;
  LeftOutError analytic, simulated;
};

/// `simulated`: each row at its clock; empty where nothing is, and the two are the same.
/// `lengths`: a model whose lengths are taken, where these rows are too few to learn them from;
/// null: they are learned.
LearnedFit fit_learned(const GpuSpec& gpu, const FitRows& rows,
                       const std::vector<KernelActivity>& simulated, const LearnedModel* lengths,
                       unsigned threads, const std::function<void(const std::string&)>& progress);

/// Of every row at its measured clock, by simulation.
std::vector<KernelActivity> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                          const std::function<void(std::size_t)>& progress);

}  // namespace tilecast
