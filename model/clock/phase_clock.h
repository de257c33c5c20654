// Computes the SM clock of each phase of a kernel that runs back to back, in bursts and under
// sustained load.
//
// The fast limiter sees the energy per cycle (energy.h) through a first-order filter with time
// constant `clock.limiter`, and caps power at burst_limit at every moment. Runs follow one another
// without a pause, so the filter's state is periodic. Under sustained load, the mean power of a run
// is capped at sustained_limit by one upper limit on the clock, because that cap reacts more slowly
// than any kernel runs.
//
// A kernel much shorter than the filter has the clock of its mean energy (clock.h); in a much
// longer one each phase has its own clock. Not modelled: the undershoot in the first 0.1 ms of a
// load; phases without tensor work, which stay at the plateau of the other phases. The filter's
// time is converted at the clock of the mean energy. Checked by: phase_clock_test.cpp; clocks of
// committed H200 measurements (validate).
#pragma once

#include <span>
#include <vector>

#include "model/clock/clock.h"

namespace tilecast {

/// Fractions of a kernel's cycles and of each kind of work in one phase. Over all phases each adds
/// up to 1, or 0 if there is no such work.
struct PhaseShares {
  double time, tensor, shared_memory, l2, dram;
  double sm_intake = 0;  // part of shared_memory; does not affect the clock
};

/// Activity of a kernel that determines its clock, from the analytic model or the simulator.
struct KernelActivity {
  ChipWork work;                         // `elapsed` is the kernel's cycles, if known
  std::vector<PhaseShares> phases = {};  // shares of the phases; one phase if empty

  ChipWork work_in(Cycles cycles) const {
    ChipWork same = work;
    same.elapsed = cycles;
    return same;
  }
};

struct PhasedClock {
  /// Mean clock and power, and the limiter that acts longest.
  ClockState kernel;
  std::vector<ClockState> phases;
};

/// Computes the clocks of the phases, given in order of time. An empty list counts as one phase.
PhasedClock phase_clock(const GpuSpec& gpu, const ChipWork& whole,
                        std::span<const PhaseShares> phases, Regime regime, Inputs inputs);
/// Computes the clock of a kernel that does this work in `cycles` instead.
PhasedClock clock_of(const GpuSpec& gpu, const KernelActivity& kernel, Cycles cycles, Regime regime,
                     Inputs inputs);

}  // namespace tilecast
