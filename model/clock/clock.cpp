#include "model/clock/clock.h"

#include <algorithm>
#include <cmath>

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
  return power.per_flop_normal;
}

/// Energy of the whole kernel at the reference clock.
Joules reference_energy(const GpuSpec& gpu, const Activity& activity, Inputs inputs) {
  const PowerSpec& power = *gpu.power;
  return energy_per_flop(power, inputs) * activity.tensor.value +
         power.per_shared_memory_byte * activity.shared_memory.value +
         power.per_l2_byte * activity.l2.value + power.per_dram_byte * activity.dram.value +
         power.per_sm_cycle * (activity.elapsed.value * gpu.sm.count);
}

}  // namespace

ClockState sm_clock(const GpuSpec& gpu, const Activity& activity, Regime regime, Inputs inputs) {
  const ClockSpec& clock = *gpu.clock;
  const PowerSpec& power = *gpu.power;
  const double per_cycle = reference_energy(gpu, activity, inputs).value / activity.elapsed.value;
  const double gamma = clock.energy_exponent;
  const double reference = clock.energy_reference.value;

  const auto held_to = [&](Watts limit) {
    const double dynamic = limit.value - power.static_power.value;
    return Hertz{reference * std::pow(dynamic / (per_cycle * reference), 1 / (1 + gamma))};
  };
  Hertz f = std::min(activity.tensor.value > 0 ? clock.tensor_plateau : clock.max,
                     held_to(power.burst_limit));
  if (regime == Regime::kSustained) {
    f = std::min(f, held_to(power.sustained_limit));
  }
  return {f,
          power.static_power + Watts{f.value * per_cycle * std::pow(f.value / reference, gamma)}};
}

}  // namespace tilecast
