#include "model/predict/corrected.h"

#include <algorithm>
#include <cmath>

#include "model/predict/retime.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {

const ResidualQuantiles* residual_quantiles(const MethodCorrection& correction, Schedule schedule,
                                            Regime regime) {
  const ResidualQuantiles* general = nullptr;
  for (const ResidualQuantiles& q : correction.quantiles) {
    if (q.regime == regime && q.schedule == schedule) {
      return &q;
    }
    if (q.regime == regime && !q.schedule) {
      general = &q;
    }
  }
  return general;
}

double limiter_width(const MethodCorrection& correction, Limiter limiter) {
  const auto found = std::ranges::find(correction.widths, to_text(limiter), &LimiterWidth::limiter);
  return found == correction.widths.end() ? 1 : found->width;
}

ReadyCorrection::ReadyCorrection(const MethodCorrection& method)
    : correction(method), cycles(method.cycles), clock(method.clock), spread(method.spread) {}

CorrectedKernel correct(const GpuSpec& gpu, const ReadyCorrection& ready, Schedule schedule,
                        Limiter limiter, Regime regime, Inputs inputs, Hertz start,
                        const Physics& physics) {
  const Features features = physics.features(start);
  const double factor = std::exp(ready.cycles.log_of(features, schedule, kMostOfCycles));
  const auto [cycles, clock] = settled_clock(*gpu.clock, start, [&](Hertz f) {
    const Cycles at = physics.cycles(f) * factor;
    return Settled<Cycles>{
        at, phase_clock(gpu, physics.work(at), physics.phases, regime, inputs).kernel};
  });
  CorrectedKernel kernel{cycles,
                         clock,
                         factor,
                         inputs == Inputs::kNormal
                             ? std::exp(ready.clock.log_of(features, schedule, kMostOfClock))
                             : 1,
                         1 - gpu.default_interval,
                         1 + gpu.default_interval};
  kernel.clock.sm_clock = std::min(clock.sm_clock * kernel.clock_factor, gpu.clock->max);
  kernel.cycles = physics.cycles(kernel.clock.sm_clock) * factor;
  if (inputs != Inputs::kNormal) {  // no fit has seen others
    return kernel;
  }
  if (const ResidualQuantiles* q = residual_quantiles(ready.correction, schedule, regime)) {
    constexpr double kMostSpread = 3;  // of a logarithm: no interval is wider than that
    const double spread = limiter_width(ready.correction, limiter) *
                          std::exp(ready.spread.log_of(features, schedule, 2 * kMostSpread));
    kernel.interval_low = std::exp(std::max(q->low * spread, -kMostSpread));
    kernel.interval_high = std::exp(std::min(q->high * spread, kMostSpread));
  }
  return kernel;
}

void apply_correction(const GpuSpec& gpu, const ReadyCorrection& ready, Schedule schedule,
                      Regime regime, Inputs inputs, const Physics& physics, Prediction& p) {
  const CorrectedKernel kernel =
      correct(gpu, ready, schedule, p.limiter, regime, inputs, p.sm_clock, physics);
  retime(kernel.cycles, kernel.clock, p);
  set_interval(kernel.interval_low, kernel.interval_high, p);
  p.cycles_correction = kernel.cycles_factor;
  p.clock_correction = kernel.clock_factor;
}

}  // namespace tilecast
