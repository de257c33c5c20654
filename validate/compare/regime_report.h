// Does it matter what ran before a burst, and how long may a burst be? Reads the rows of
// `tilecast-gpu regime-experiment` and gives, for each history and rest, the correlation of a
// burst's clock, cycles and time with the power of what ran before it; and for each moment after
// the rest, the clock beside that of the burst's first slices.
//
// Each subject's values are taken relative to their mean at that rest, so that subjects of
// different speed are one sample; the correlation is Pearson's. With n trials and no effect it is
// expected to lie within 2 / sqrt(n). The slope says how much an effect matters: percent per 100 W.
// Where a trial has no power (no NVML), the place of what ran before in the experiment's order,
// idle first and a GEMM of normal data last, stands for it: a proxy, and the table says so.
// Checked by: regime_report_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/base/units.h"
#include "validate/record/regime_trials.h"

namespace tilecast {

struct Effect {
  double correlation = 0;
  double percent = 0;  // per 100 W, or per place
};

struct RestEffect {
  History history;
  bool settled;
  Seconds rest;
  std::size_t trials = 0;
  bool by_power = true;  // else by the order of what ran before
  Effect clock, cycles, time;
};

/// By history, settled or not and rest, shortest first.
std::vector<RestEffect> rest_effects(const std::vector<RestTrial>& trials);

/// Mean clock and cycles over repetitions, relative to the subject's slice that holds `reference`.
struct WindowEffect {
  std::string subject;
  Seconds from, to;
  double clock, cycles;
};

std::vector<WindowEffect> window_effects(const std::vector<WindowSlice>& slices, Seconds reference);

constexpr double kMostCorrelation = 0.1;

std::string to_table(const std::vector<RestEffect>& rests,
                     const std::vector<WindowEffect>& windows);

}  // namespace tilecast
