// The experiment behind the burst regime's rest and window (regime_timer.h): does what ran before a
// burst matter after a rest of so many milliseconds, and how does the clock move while a load
// lasts?
//
// Rests: before each burst block runs one of nothing, a fill of memory, a GEMM of zeros and a GEMM
// of normal data, in a random order: for 25 ms without a pause (history load), or as four burst
// blocks, the way a point is measured (history bursts). The subject's burst comes after the rest,
// or, settled, after a burst of its own that does not count and then the rest. The power of each is
// measured once, by NVML's energy counter over 1.2 s of it, and is absent where there is no such
// counter. The subjects are cuBLASLt, one of our kernels and the fill. Windows: after 100 ms of
// rest a load of about 80 ms in slices of 2 ms. `tilecast regime-report` reads the rows.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

struct RegimeExperiment {
  std::vector<std::chrono::milliseconds> rests;
  i64 trials = 3;           // of each rest, subject and thing before; settled, after bursts
  i64 trials_at_rest = 30;  // of the regime's own rest, for each history, settled or not
  i64 windows = 5;          // repetitions for each subject
  std::string config;       // canonical; our subject
  u64 seed = 1;
  std::function<void(const std::string& line)> sink;  // of CSV
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Throws DeviceError where there is no GPU, and what the timers throw.
void run_regime_experiment(const RegimeExperiment& experiment);

}  // namespace tilecast
