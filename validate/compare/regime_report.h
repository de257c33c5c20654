// Does it matter what ran before a burst, and how long may a burst be? Reads the rows of
// `tilecast-gpu regime-experiment` and gives, for each rest, the correlation of a burst's clock,
// cycles and time with the power of what ran before it; and for each moment after the rest, the clock
// beside that of the burst's first slices.
//
// Each subject's values are taken relative to their mean at that rest, so that subjects of different
// speed are one sample; the correlation is Pearson's. With n trials and no effect it is expected to
// lie within 2 / sqrt(n). The slope says how much an effect matters: percent per 100 W.
// Checked by: regime_report_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

/// One burst after a rest after something else.
struct RestTrial {
  Seconds rest;
  std::string before;  // idle, memory, ...
  Watts before_power;
  std::string subject;
  Hertz clock;
  Cycles cycles;
  Seconds time;
};

/// A slice of one long load after a rest.
struct WindowSlice {
  Seconds from, to;  // since the load began
  std::string subject;
  i64 repetition = 0;
  Hertz clock;
  Cycles cycles;
};

struct RegimeTrials {
  std::vector<RestTrial> rests;
  std::vector<WindowSlice> windows;
};

/// Header and one line each, as parse_regime_trials reads them.
std::string regime_trials_header();
std::string to_csv(const RestTrial& trial);
std::string to_csv(const WindowSlice& slice);

/// Throws ConfigError `name:line: ...`.
RegimeTrials parse_regime_trials(std::string_view text, std::string_view name);

struct Effect {
  double correlation = 0;
  double percent_per_100_watts = 0;
};

struct RestEffect {
  Seconds rest;
  std::size_t trials = 0;
  Effect clock, cycles, time;
};

/// By rest, shortest first.
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
