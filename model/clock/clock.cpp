#include "model/clock/clock.h"

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "model/base/words.h"

namespace tilecast {
namespace {

Joules energy_per_flop(const PowerSpec& power, Inputs inputs) {
  switch (inputs) {
    case Inputs::kNormal:
      return power.per_flop_normal;
    case Inputs::kUniform:
      return power.per_flop_uniform;
    case Inputs::kTernary:
      return power.per_flop_ternary;
    case Inputs::kZeros:
      return power.per_flop_zeros;
  }
  TILECAST_ASSERT(!"inputs without an energy");
  return {};
}

/// Of a whole run, at the reference clock; without static power.
EnergySplit energy_at_reference(const GpuSpec& gpu, const ChipWork& work, Inputs inputs) {
  const PowerSpec& power = *gpu.power;
  return {.tensor = energy_per_flop(power, inputs) * work.tensor.value,
          .shared_memory = power.per_shared_memory_byte * work.shared_memory.value,
          .l2 = power.per_l2_byte * work.l2.value,
          .dram = power.per_dram_byte * work.dram.value,
          .sm_cycles = power.per_sm_cycle * (work.elapsed.value * gpu.sm.count),
          .idle = {}};
}

/// Energy grows with the voltage that the clock needs.
double voltage_factor(const ClockSpec& clock, Hertz f) {
  return std::pow(f / clock.energy_reference, clock.energy_exponent);
}

/// Energy of one SM cycle of the whole chip.
struct CycleEnergy {
  Joules scaled;  // with the voltage; at the reference clock
  Joules fixed;
};

CycleEnergy energy_per_cycle(const GpuSpec& gpu, const ChipWork& work, Inputs inputs) {
  const EnergySplit run = energy_at_reference(gpu, work, inputs);
  const double cycles = work.elapsed.value;
  return {(run.tensor + run.shared_memory + run.l2 + run.sm_cycles) / cycles, run.dram / cycles};
}

Watts power_at(const GpuSpec& gpu, const CycleEnergy& energy, Hertz f) {
  const double scaled = energy.scaled.value * voltage_factor(*gpu.clock, f);
  return gpu.power->static_power + Watts{f.value * (scaled + energy.fixed.value)};
}

/// Highest clock up to `most` at which the power stays within `limit`; power grows with the clock.
Hertz held_to(const GpuSpec& gpu, const CycleEnergy& energy, Watts limit, Hertz most) {
  constexpr int kHalvings = 24;  // of 2 GHz: to about a hundred hertz
  if (power_at(gpu, energy, most) <= limit) {
    return most;
  }
  Hertz low{0};
  Hertz high = most;
  for (int i = 0; i < kHalvings; ++i) {
    const Hertz middle = (low + high) / 2;
    (power_at(gpu, energy, middle) <= limit ? low : high) = middle;
  }
  return low;
}

}  // namespace

ClockState sm_clock(const GpuSpec& gpu, const ChipWork& work, Regime regime, Inputs inputs) {
  const CycleEnergy energy = energy_per_cycle(gpu, work, inputs);
  const bool capped =
      regime == Regime::kSustained && gpu.power->sustained_limit < gpu.power->burst_limit;
  const Watts limit = capped ? gpu.power->sustained_limit : gpu.power->burst_limit;
  const bool tensor = work.tensor.value > 0;
  const Hertz most = tensor ? gpu.clock->tensor_plateau : gpu.clock->max;
  const Hertz f = held_to(gpu, energy, limit, most);
  const ClockLimiter by_power = capped ? ClockLimiter::kSustainedPower : ClockLimiter::kBurstPower;
  const ClockLimiter at_most = tensor ? ClockLimiter::kTensorPlateau : ClockLimiter::kHighestClock;
  return {f, power_at(gpu, energy, f), f < most ? by_power : at_most};
}

EnergySplit energy_split(const GpuSpec& gpu, const ChipWork& work, Hertz f, Inputs inputs) {
  EnergySplit split = energy_at_reference(gpu, work, inputs);
  const double voltage = voltage_factor(*gpu.clock, f);
  for (Joules* scaled : {&split.tensor, &split.shared_memory, &split.l2, &split.sm_cycles}) {
    *scaled = *scaled * voltage;
  }
  split.idle = {gpu.power->static_power.value * time_of(work.elapsed, f).value};
  return split;
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
