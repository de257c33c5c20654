#include "model/predict/learned.h"

#include <algorithm>
#include <cmath>

#include "model/predict/retime.h"

namespace tilecast {

KernelFeatures kernel_features(const GpuSpec& /*gpu*/, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work,
                               const ClosedForm& form, Hertz sm_clock, Cycles simulated,
                               Regime regime) {
  return {correction_features(problem, config, work, form, sm_clock, simulated, regime),
          config.schedule, form.limiter, regime};
}

Learned LearnedPart::of(const KernelFeatures& kernel) const {
  Learned learned{.cycles = ready_.cycles.log_of(kernel.values, kernel.schedule, kMostOfCycles),
                  .clock = ready_.clock.log_of(kernel.values, kernel.schedule, kMostOfClock)};
  if (const ResidualQuantiles* q =
          residual_quantiles(ready_.correction, kernel.schedule, kernel.regime)) {
    constexpr double kMostSpread = 3;  // of a logarithm: no interval is wider than that
    const double spread =
        limiter_width(ready_.correction, kernel.limiter) *
        std::exp(ready_.spread.log_of(kernel.values, kernel.schedule, 2 * kMostSpread));
    learned.interval = {std::max(q->low * spread, -kMostSpread),
                        std::min(q->high * spread, kMostSpread)};
  }
  return learned;
}

std::vector<Learned> LearnedPart::of(std::span<const KernelFeatures> kernels) const {
  std::vector<Learned> learned;
  learned.reserve(kernels.size());
  for (const KernelFeatures& kernel : kernels) {
    learned.push_back(of(kernel));
  }
  return learned;
}

std::optional<LearnedPart> learned_part(const GpuSpec& gpu, Method method) {
  if (gpu.correction == nullptr || gpu.architecture != Architecture::kHopper) {
    return std::nullopt;
  }
  return LearnedPart(method == Method::kSimulated ? gpu.correction->simulated
                                                  : gpu.correction->analytic);
}

void apply_learned(const GpuSpec& gpu, const Learned& learned, Regime regime, Inputs inputs,
                   const Physics& physics, Prediction& p) {
  const double factor = std::exp(learned.cycles);
  const Hertz start = p.sm_clock;
  const auto settled = [&](Inputs data) {
    return settled_clock(
               *gpu.clock, start,
               [&](Hertz f) {
                 const Cycles at = physics.cycles(f) * factor;
                 return Settled<Cycles>{
                     at, phase_clock(gpu, physics.work(at), physics.phases, regime, data).kernel};
               })
        .clock;
  };
  const double clock_factor = std::exp(learned.clock);
  ClockState clock = settled(Inputs::kNormal);
  clock.sm_clock = std::min(clock.sm_clock * clock_factor, gpu.clock->max);
  if (inputs != Inputs::kNormal) {  // none leaves a kernel less clock than normal data does
    ClockState own = settled(inputs);
    own.sm_clock = std::max(own.sm_clock, clock.sm_clock);
    clock = own;
  }
  retime(physics.cycles(clock.sm_clock) * factor, clock, p);
  set_default_interval(gpu, p);
  if (learned.interval && inputs == Inputs::kNormal) {
    set_interval(std::exp(learned.interval->low), std::exp(learned.interval->high), p);
  }
  p.cycles_correction = factor;
  p.clock_correction = inputs == Inputs::kNormal ? clock_factor : 1;
  p.extrapolated = learned.extrapolated;
}

}  // namespace tilecast
