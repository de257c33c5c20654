// A calibration's correction of one kernel, and the clock that follows: corrected cycles leave
// another clock than the physics' own, so the clock is settled again before it is corrected itself.
// Without a correction all factors are 1, and the interval is the GPU file's default.
//
// Checked by: corrected_test.cpp; held-out rows (validate).
#pragma once

#include <functional>
#include <span>

#include "model/clock/phase_clock.h"
#include "model/predict/correction_terms.h"
#include "model/predict/prediction.h"
#include "model/predict/settled_clock.h"

namespace tilecast {

// Logarithms. No correction goes further: beyond, a kernel is not like any that the fit saw.
constexpr double kMostOfCycles = 0.7, kMostOfClock = 0.15;

/// One kernel by physics alone.
struct Physics {
  std::function<Cycles(Hertz)> cycles;
  std::function<ChipWork(Cycles)> work;      // in so many cycles
  std::span<const PhaseShares> phases = {};  // none: the kernel is one
  std::function<Features(Hertz)> features;
};

/// A method's correction made ready for many kernels. Refers to it.
struct ReadyCorrection {
  explicit ReadyCorrection(const MethodCorrection& correction);

  const MethodCorrection& correction;
  FoldedCorrection cycles, clock, spread;
};

struct CorrectedKernel {
  Cycles cycles;
  ClockState clock;
  double cycles_factor, clock_factor;  // over the physics'
  double interval_low, interval_high;  // nine of ten lie between these times the time
};

/// `limiter`: by closed form. Inputs that are not normal, which no fit has seen, have the physics'
/// clock and the default interval.
CorrectedKernel correct(const GpuSpec& gpu, const ReadyCorrection& ready, Schedule schedule,
                        Limiter limiter, Regime regime, Inputs inputs, Hertz start,
                        const Physics& physics);

/// Null where there are none.
const ResidualQuantiles* residual_quantiles(const MethodCorrection& correction, Schedule schedule,
                                            Regime regime);

/// By which intervals of kernels with this limiter are wider than others.
double limiter_width(const MethodCorrection& correction, Limiter limiter);

/// Changes `p`, physics alone, to the corrected kernel: cycles, clock, power, time, interval.
void apply_correction(const GpuSpec& gpu, const ReadyCorrection& ready, Schedule schedule,
                      Regime regime, Inputs inputs, const Physics& physics, Prediction& p);

}  // namespace tilecast
