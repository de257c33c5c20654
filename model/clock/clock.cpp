#include "model/clock/clock.h"

#include <algorithm>
#include <cmath>

#include "model/base/error.h"

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

/// Energy of one SM cycle of the whole chip.
struct CycleEnergy {
  Joules scaled;  // with the voltage that the clock needs; at the reference clock
  Joules fixed;
};

CycleEnergy energy_per_cycle(const GpuSpec& gpu, const ChipWork& work, Inputs inputs) {
  const PowerSpec& power = *gpu.power;
  const double cycles = work.elapsed.value;
  const Joules scaled = energy_per_flop(power, inputs) * work.tensor.value +
                        power.per_shared_memory_byte * work.shared_memory.value +
                        power.per_l2_byte * work.l2.value +
                        power.per_sm_cycle * (cycles * gpu.sm.count);
  return {scaled / cycles, power.per_dram_byte * (work.dram.value / cycles)};
}

Watts power_at(const GpuSpec& gpu, const CycleEnergy& energy, Hertz f) {
  const ClockSpec& clock = *gpu.clock;
  const double voltage = std::pow(f / clock.energy_reference, clock.energy_exponent);
  return gpu.power->static_power +
         Watts{f.value * (energy.scaled.value * voltage + energy.fixed.value)};
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
  const Watts limit = regime == Regime::kSustained
                          ? std::min(gpu.power->burst_limit, gpu.power->sustained_limit)
                          : gpu.power->burst_limit;
  const Hertz most = work.tensor.value > 0 ? gpu.clock->tensor_plateau : gpu.clock->max;
  const Hertz f = held_to(gpu, energy, limit, most);
  return {f, power_at(gpu, energy, f)};
}

}  // namespace tilecast
