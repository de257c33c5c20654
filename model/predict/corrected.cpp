#include "model/predict/corrected.h"

#include <algorithm>
#include <cmath>

#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

// Beyond this a kernel is not like any that the fit saw, and the physics are better trusted.
constexpr double kMostOfCycles = 0.7, kMostOfClock = 0.15;

const ResidualQuantiles* quantiles_of(const MethodCorrection& correction, Schedule schedule,
                                      Regime regime) {
  for (const ResidualQuantiles& q : correction.quantiles) {
    if (q.regime == to_text(regime) && (q.schedule == to_text(schedule) || q.schedule == "all")) {
      return &q;
    }
  }
  return nullptr;
}

}  // namespace

CorrectedKernel correct(const GpuSpec& gpu, const MethodCorrection& correction, Schedule schedule,
                        Regime regime, Inputs inputs, Hertz start, const Physics& physics) {
  const Features features = physics.features(start);
  const double factor =
      std::exp(corrected_log(correction.cycles, features, schedule, kMostOfCycles));
  const auto [cycles, clock] = settled_clock(*gpu.clock, start, [&](Hertz f) {
    const Cycles at = physics.cycles(f) * factor;
    return Settled<Cycles>{at, sm_clock(gpu, physics.work(at), regime, inputs)};
  });
  CorrectedKernel kernel{
      cycles,
      clock,
      factor,
      std::exp(corrected_log(correction.clock, features, schedule, kMostOfClock)),
      1 - gpu.default_interval,
      1 + gpu.default_interval};
  kernel.clock.sm_clock = std::min(clock.sm_clock * kernel.clock_factor, gpu.clock->max);
  kernel.cycles = physics.cycles(kernel.clock.sm_clock) * factor;
  if (const ResidualQuantiles* q = quantiles_of(correction, schedule, regime)) {
    constexpr double kMostSpread = 3;  // of a logarithm: no interval is wider than that
    const double spread =
        std::exp(corrected_log(correction.spread, features, schedule, 2 * kMostSpread));
    kernel.interval_low = std::exp(std::max(q->low * spread, -kMostSpread));
    kernel.interval_high = std::exp(std::min(q->high * spread, kMostSpread));
  }
  return kernel;
}

void apply_correction(const GpuSpec& gpu, const MethodCorrection& correction, Schedule schedule,
                      Regime regime, Inputs inputs, const Physics& physics, Prediction& p) {
  const CorrectedKernel kernel =
      correct(gpu, correction, schedule, regime, inputs, p.sm_clock, physics);
  const Seconds before = p.time;
  p.cycles = kernel.cycles;
  p.sm_clock = kernel.clock.sm_clock;
  p.power = kernel.clock.power;
  p.time = time_of(p.cycles, p.sm_clock);
  p.interval_low = p.time * kernel.interval_low;
  p.interval_high = p.time * kernel.interval_high;
  p.tflops *= before / p.time;
  p.cycles_correction = kernel.cycles_factor;
  p.clock_correction = kernel.clock_factor;
}

}  // namespace tilecast
