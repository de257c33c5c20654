#include "model/clock/energy.h"

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

/// Factor by which energy grows with the voltage that the clock requires.
double voltage_factor(const ClockSpec& clock, Hertz f) {
  return std::pow(f / kEnergyClock, clock.energy_exponent);
}

}  // namespace

EnergySplit energy_at_1_ghz(const GpuSpec& gpu, const ChipWork& work, Inputs inputs) {
  const PowerSpec& power = *gpu.power;
  // An fp8 FLOP takes half the energy of a bf16 one; `flops` counts two of them as one.
  const double element = work.dtype == ElementType::kFp16 ? 1 : power.bf16_flop;
  const Joules promotion = power.promoted_sum * work.promoted;
  const double flops = work.tensor.value + power.zero_operand * work.out_of_bounds.value;
  return {.tensor = energy_per_flop(power, inputs) * (flops * element) + promotion,
          .shared_memory = power.per_shared_memory_byte * work.shared_memory.value,
          .l2 = power.per_l2_byte * work.l2.value,
          .dram = power.per_dram_byte * work.dram.value,
          .idle = {}};
}

EnergySplit energy_split(const GpuSpec& gpu, const ChipWork& work, Hertz f, Inputs inputs) {
  EnergySplit split = energy_at_1_ghz(gpu, work, inputs);
  const double voltage = voltage_factor(*gpu.clock, f);
  for (Joules* scaled : {&split.tensor, &split.shared_memory, &split.l2}) {
    *scaled = *scaled * voltage;
  }
  split.idle = {gpu.power->static_power.value * time_of(work.elapsed, f).value};
  return split;
}

Watts power_at(const GpuSpec& gpu, const CycleEnergy& energy, Hertz f) {
  const double scaled = energy.scaled.value * voltage_factor(*gpu.clock, f);
  return gpu.power->static_power + Watts{f.value * (scaled + energy.fixed.value)};
}

Hertz held_to(const GpuSpec& gpu, const CycleEnergy& energy, Watts limit, Hertz most) {
  // Power grows superlinearly with the clock, so Newton steps from above stay above.
  constexpr int kMostSteps = 40;
  constexpr double kNear = 1e-9;
  const double gamma = gpu.clock->energy_exponent;
  Hertz f = most;
  for (int step = 0; step < kMostSteps; ++step) {
    const double scaled = energy.scaled.value * voltage_factor(*gpu.clock, f);
    const double above =
        (gpu.power->static_power - limit).value + f.value * (scaled + energy.fixed.value);
    if (above <= 0) {
      return f;
    }
    const double less = above / (scaled * (1 + gamma) + energy.fixed.value);
    if (less >= f.value) {  // static power alone exceeds the limit
      return {0};
    }
    f = f - Hertz{less};
    if (less < kNear * f.value) {
      break;
    }
  }
  return f;
}

}  // namespace tilecast
