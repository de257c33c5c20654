#include "model/predict/rough_time.h"

#include <algorithm>
#include <cmath>

#include "model/predict/chip_work.h"
#include "model/predict/settled_form.h"

namespace tilecast {
namespace {

constexpr double kFar = 1.1;  // times the good kernel: no more than a bound is of interest

}  // namespace

RoughTime::RoughTime(const GpuSpec& gpu, const ReadyCorrection& correction,
                     const GemmProblem& problem, Regime regime, Inputs inputs)
    : gpu_(gpu),
      correction_(correction),
      problem_(problem),
      regime_(regime),
      inputs_(inputs),
      at_(gpu.clock->tensor_plateau) {}

void RoughTime::look_where(const KernelConfig& good, const GemmWork& work) {
  at_ = settled_form(gpu_, problem_, good, work, regime_, inputs_).clock.sm_clock;
  good_ = of(good, work);
}

Seconds RoughTime::of(const KernelConfig& config, const GemmWork& work) const {
  const ClosedForm form = closed_form(gpu_, problem_, config, work, at_);
  const Hertz highest = gpu_.clock->max;
  if (const Seconds least = time_of(form.cycles * std::exp(-kMostOfCycles), highest);
      least > good_ * kFar) {
    return least;
  }
  const Features features =
      correction_features(problem_, config, work, form, at_, Cycles{}, regime_);
  const auto factor = [&](const FoldedCorrection& correction, double most) {
    return std::exp(correction.log_of(features, config.schedule, most));
  };
  const Cycles cycles = form.cycles * factor(correction_.cycles, kMostOfCycles);
  if (const Seconds least = time_of(cycles, highest); least > good_ * kFar) {
    return least;
  }
  const Hertz settled =
      sm_clock(gpu_, chip_work(gpu_, problem_, config, work, cycles), regime_, inputs_).sm_clock;
  const double clock_factor =
      inputs_ == Inputs::kNormal ? factor(correction_.clock, kMostOfClock) : 1;
  return time_of(cycles, std::min(settled * clock_factor, highest));
}

}  // namespace tilecast
