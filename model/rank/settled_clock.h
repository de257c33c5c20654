// Solves for clock and cycles together. Cycles depend on the clock through latencies in
// nanoseconds, and the clock depends on the cycles through power.
//
// Fixed-point iteration oscillates if a memory-bound kernel is also power-limited; secant steps do
// not.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/clock/phase_clock.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Relative change of the clock at which the search stops.
constexpr double kClockSettled = 1e-4;

template <class Form>
struct Settled {
  Form form;
  ClockState clock;
};

/// `run_at(Hertz)` returns the kernel's Settled state at that clock.
template <class RunAt>
auto settled_clock(const ClockSpec& clock, Hertz start, const RunAt& run_at) {
  constexpr int kMostRounds = 12;  // three or four usually suffice
  Hertz f = start;
  auto run = run_at(f);
  Hertz before = f;
  Hertz answer_before = run.clock.sm_clock;
  f = run.clock.sm_clock;
  for (int round = 0; round < kMostRounds; ++round) {
    run = run_at(f);
    const Hertz answer = run.clock.sm_clock;
    if (std::abs(answer / f - 1) < kClockSettled) {
      break;
    }
    const double slope = (answer - answer_before) / (f - before);
    before = f;
    answer_before = answer;
    f = std::min((answer - f * slope) / (1 - slope), clock.max);
  }
  return run;
}

/// Settles a kernel that takes `cycles_at(Hertz)` and does the same work at every clock.
template <class CyclesAt>
Settled<Cycles> settled_cycles(const GpuSpec& gpu, const KernelActivity& kernel, Hertz start,
                               Regime regime, Inputs inputs, const CyclesAt& cycles_at) {
  return settled_clock(*gpu.clock, start, [&](Hertz f) {
    const Cycles at = cycles_at(f);
    return Settled<Cycles>{at, clock_of(gpu, kernel, at, regime, inputs).kernel};
  });
}

}  // namespace tilecast
