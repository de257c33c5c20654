#include "model/clock/clock.h"

#include "model/base/words.h"

namespace tilecast {

CycleEnergy cycle_energy(const GpuSpec& gpu, const ChipWork& work, Inputs inputs) {
  const EnergySplit run = energy_at_1_ghz(gpu, work, inputs);
  const double cycles = work.elapsed.value;
  return {(run.tensor + run.shared_memory + run.l2) / cycles, run.dram / cycles};
}

Hertz highest_clock(const GpuSpec& gpu, const ChipWork& work) {
  return work.tensor.value > 0 ? gpu.clock->tensor_plateau : gpu.clock->max;
}

ClockState sm_clock(const GpuSpec& gpu, const ChipWork& work, Regime regime, Inputs inputs) {
  const CycleEnergy energy = cycle_energy(gpu, work, inputs);
  const bool capped =
      regime == Regime::kSustained && gpu.power->sustained_limit < gpu.power->burst_limit;
  const Watts limit = capped ? gpu.power->sustained_limit : gpu.power->burst_limit;
  const Hertz most = highest_clock(gpu, work);
  const Hertz f = held_to(gpu, energy, limit, most);
  const ClockLimiter by_power = capped ? ClockLimiter::kSustainedPower : ClockLimiter::kBurstPower;
  const ClockLimiter at_most =
      work.tensor.value > 0 ? ClockLimiter::kTensorPlateau : ClockLimiter::kHighestClock;
  return {f, power_at(gpu, energy, f), f < most ? by_power : at_most};
}

std::string_view to_text(ClockLimiter limiter) {
  static constexpr Words<ClockLimiter, 4> kLimiters{
      {{ClockLimiter::kHighestClock, "highest_clock"},
       {ClockLimiter::kTensorPlateau, "tensor_plateau"},
       {ClockLimiter::kBurstPower, "burst_power"},
       {ClockLimiter::kSustainedPower, "sustained_power"}}};
  return word_of(kLimiters, limiter);
}

}  // namespace tilecast
