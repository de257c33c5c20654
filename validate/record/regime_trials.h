// What the experiment on the burst regime's rest and window measures, and its CSV.
// Checked by: regime_trials_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

/// What ran before a burst: a load without a pause, or bursts with their rests, as a measurement of
/// another configuration leaves behind.
enum class History { kLoad, kBursts };

std::string_view name_of(History history);

/// One burst after a rest after something else.
struct RestTrial {
  Seconds rest;
  History history = History::kLoad;
  bool settled = false;               // a burst of the subject itself came between
  std::string before;                 // idle, fill, ...
  i64 before_order = 0;               // of what ran before, the least power first
  std::optional<Watts> before_power;  // its mean under a load of it; absent where NVML has none
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

}  // namespace tilecast
