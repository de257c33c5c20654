// The SM clock of each phase of a kernel that runs back to back, as bursts and sustained loads do.
//
// The fast limiter sees the energy of a cycle (energy.h) through a filter of the first order, of
// `clock.limiter`, and holds power to burst_limit at every moment. Runs follow one another without
// a pause, so that what it sees comes back after each. Under a sustained load power is held to
// sustained_limit in the mean of a run, by one clock that no phase goes beyond, since that cap
// takes longer than any kernel.
//
// A kernel much shorter than the filter has the clock of its mean energy (clock.h), one much longer
// each phase its own.
// Leaves out: the undershoot of the first 0.1 ms of a load; phases without tensor work, which stay
// at the plateau of the rest; the filter counts time at the clock of the mean energy.
// Checked by: phase_clock_test.cpp; the clocks of committed H200 rows (validate).
#pragma once

#include <span>
#include <vector>

#include "model/clock/clock.h"

namespace tilecast {

/// What falls into one part of a kernel, of its cycles and of its work: those of all add up to 1,
/// but where there is no such work.
struct PhaseShares {
  double time, tensor, shared_memory, l2, dram;
  double sm_intake = 0;  // a part of shared_memory, not followed by the clock
};

/// What the clock follows of a kernel, whichever physics says it.
struct KernelActivity {
  ChipWork work;                         // `elapsed`: the kernel's cycles, where they are known
  std::vector<PhaseShares> phases = {};  // none: the whole kernel is one

  ChipWork work_in(Cycles cycles) const {
    ChipWork same = work;
    same.elapsed = cycles;
    return same;
  }
};

struct PhasedClock {
  /// Cycles over time, energy over time, and what limits most of the time.
  ClockState kernel;
  std::vector<ClockState> phases;
};

/// Phases in order of time; none: the whole kernel is one.
PhasedClock phase_clock(const GpuSpec& gpu, const ChipWork& whole,
                        std::span<const PhaseShares> phases, Regime regime, Inputs inputs);
/// Of a kernel that does the same in so many cycles.
PhasedClock clock_of(const GpuSpec& gpu, const KernelActivity& kernel, Cycles cycles, Regime regime,
                     Inputs inputs);

}  // namespace tilecast
