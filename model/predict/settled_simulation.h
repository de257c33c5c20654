// A simulated kernel and the clock that it leaves itself, solved together: a simulation at one
// clock is moved to others as the closed form moves, which settles the clock; where that is far
// from the simulated one, the kernel is simulated again there. Checked by: simulated_gemm_test.cpp.
#pragma once

#include <cmath>
#include <vector>

#include "model/clock/phase_clock.h"
#include "model/predict/prediction.h"
#include "model/predict/settled_clock.h"
#include "model/sim/simulate.h"

namespace tilecast {

struct WatchedSimulation {
  Simulated kernel;
  std::vector<PhaseShares> phases;  // that the clock follows; none: the kernel is one
};

struct SettledSimulation {
  Simulated kernel;
  std::vector<PhaseShares> phases;
  Cycles cycles;  // at the clock
  ClockState clock;
};

/// `simulate(Hertz)` gives the WatchedSimulation at a clock, `closed(Hertz)` the closed form's
/// Cycles there, `work(Simulated, Cycles)` the ChipWork of the kernel in so many cycles.
template <class Simulate, class Closed, class Work>
SettledSimulation settled_simulation(const GpuSpec& gpu, Hertz start, Regime regime, Inputs inputs,
                                     const Simulate& simulate, const Closed& closed,
                                     const Work& work) {
  // Cycles move with the closed form's over less than this, and not by more than that.
  constexpr double kNearClock = 0.02, kNearCycles = 0.005;
  constexpr int kMostSimulations = 3;
  Hertz f = start;
  for (int simulations = 1;; ++simulations) {
    const WatchedSimulation watched = simulate(f);
    const Cycles closed_here = closed(f);
    const auto [cycles, clock] = settled_clock(*gpu.clock, f, [&](Hertz g) {
      const Cycles moved = watched.kernel.cycles * (closed(g) / closed_here);
      return Settled<Cycles>{
          moved,
          phase_clock(gpu, work(watched.kernel, moved), watched.phases, regime, inputs).kernel};
    });
    const bool near = std::abs(clock.sm_clock / f - 1) < kNearClock &&
                      std::abs(cycles / watched.kernel.cycles - 1) < kNearCycles;
    if (near || simulations == kMostSimulations) {
      return {watched.kernel, watched.phases, cycles, clock};
    }
    f = clock.sm_clock;
  }
}

/// `analytic` with the simulation's cycles, clock, bytes and what follows from them; the limiter
/// stays the closed form's.
Prediction with_simulation(const GpuSpec& gpu, const Prediction& analytic,
                           const SettledSimulation& settled);

}  // namespace tilecast
