#include "model/clock/clock.h"

#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

/// Work that keeps the tensor pipes near their peak for a million cycles, with this many bytes of
/// L2 traffic.
ChipWork busy(double l2_bytes) {
  return {Flops{132.0 * 4096 * 0.9e6}, Bytes{132.0 * 80 * 1e6}, Bytes{l2_bytes}, Bytes{},
          Cycles{1e6}};
}

TEST_CASE("A kernel without tensor work and energy runs at the highest clock") {
  GpuSpec gpu = h200();
  const ClockState state = sm_clock(gpu, ChipWork{{}, {}, {}, Bytes{1}, Cycles{1e6}},
                                    Regime::kSustained, Inputs::kNormal);
  CHECK(state.sm_clock == gpu.clock->max);
}

TEST_CASE("Light tensor work runs at the plateau") {
  const GpuSpec gpu = h200();
  const ChipWork light{Flops{1e6}, Bytes{1e6}, Bytes{1e6}, Bytes{1e6}, Cycles{1e6}};
  CHECK(sm_clock(gpu, light, Regime::kBurst, Inputs::kNormal).sm_clock ==
        gpu.clock->tensor_plateau);
}

TEST_CASE("A kernel below the plateau draws exactly the power limit of its regime") {
  const GpuSpec gpu = h200();
  const ClockState burst = sm_clock(gpu, busy(6e9), Regime::kBurst, Inputs::kNormal);
  const ClockState sustained = sm_clock(gpu, busy(6e9), Regime::kSustained, Inputs::kNormal);
  REQUIRE(burst.sm_clock < gpu.clock->tensor_plateau);
  CHECK(burst.power.value == Approx(gpu.power->burst_limit.value).epsilon(1e-4));
  CHECK(sustained.power.value == Approx(gpu.power->sustained_limit.value).epsilon(1e-4));
  CHECK(sustained.sm_clock < burst.sm_clock);
}

TEST_CASE("With energy growing as the clock squared, eight times the energy halves the clock") {
  // With P - static = f E (f / ref)^2 held constant, f is proportional to E^(-1/3).
  GpuSpec gpu = h200();
  gpu.clock->energy_exponent = 2;
  gpu.clock->tensor_plateau = {1e10};
  gpu.power->per_flop_normal = {1e-12};
  gpu.power->per_shared_memory_byte = gpu.power->per_l2_byte = gpu.power->per_dram_byte = {};
  const double once = sm_clock(gpu, busy(0), Regime::kBurst, Inputs::kNormal).sm_clock.value;
  gpu.power->per_flop_normal = {8e-12};
  CHECK(sm_clock(gpu, busy(0), Regime::kBurst, Inputs::kNormal).sm_clock.value ==
        Approx(once / 2).epsilon(1e-4));
}

TEST_CASE("Each accumulator promoted to fp32 adds 10 pJ") {
  ChipWork work{.tensor = Flops{128e12}, .dtype = ElementType::kE4m3};
  const double without = energy_at_1_ghz(h200(), work, Inputs::kZeros).tensor.value;
  work.promoted = 1e12;
  const double with = energy_at_1_ghz(h200(), work, Inputs::kZeros).tensor.value;
  CHECK(with - without == Approx(10));
}

TEST_CASE("Out-of-bounds FLOPs take four fifths of the energy of others") {
  const ChipWork tile{.tensor = Flops{1e12}};
  const ChipWork outside{.out_of_bounds = Flops{1e12}};
  const auto joules = [](const ChipWork& work) {
    return energy_at_1_ghz(h200(), work, Inputs::kNormal).tensor.value;
  };
  CHECK(joules(outside) == Approx(0.8 * joules(tile)));
}

TEST_CASE("DRAM energy does not grow with the SM clock") {
  // Only DRAM bytes: P - static = f x E, so half the power above static halves the clock.
  GpuSpec gpu = h200();
  gpu.clock->tensor_plateau = {1e10};
  gpu.power->per_flop_normal = gpu.power->per_shared_memory_byte = gpu.power->per_l2_byte = {};
  gpu.power->per_dram_byte = {100e-12};
  gpu.power->static_power = {100};
  const ChipWork done{Flops{1}, {}, {}, Bytes{6e9}, Cycles{1e6}};
  const auto clock = [&](double limit) {
    gpu.power->burst_limit = {limit};
    return sm_clock(gpu, done, Regime::kBurst, Inputs::kNormal).sm_clock.value;
  };
  CHECK(clock(700) == Approx(1e9).epsilon(1e-4));  // 600 W / (100 pJ/B x 6000 B per cycle)
  CHECK(clock(400) == Approx(0.5e9).epsilon(1e-4));
}

TEST_CASE("More traffic and more random data lower the clock") {
  const GpuSpec gpu = h200();
  const auto clock = [&](double l2, Inputs inputs) {
    return sm_clock(gpu, busy(l2), Regime::kSustained, inputs).sm_clock.value;
  };
  CHECK(clock(6e9, Inputs::kNormal) < clock(3e9, Inputs::kNormal));
  CHECK(clock(6e9, Inputs::kNormal) < clock(6e9, Inputs::kUniform));
  CHECK(clock(6e9, Inputs::kUniform) < clock(6e9, Inputs::kZeros));
}

TEST_CASE("The parts of a run's energy add up to power times time") {
  const GpuSpec gpu = h200();
  ChipWork work = busy(6e9);
  work.dram = Bytes{1e9};
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    const ClockState state = sm_clock(gpu, work, regime, Inputs::kNormal);
    const EnergySplit split = energy_split(gpu, work, state.sm_clock, Inputs::kNormal);
    const Seconds time = time_of(work.elapsed, state.sm_clock);
    CHECK(split.total().value == Approx(state.power.value * time.value));
    // DRAM energy depends only on the bytes, not on the clock.
    CHECK(split.dram.value == Approx(gpu.power->per_dram_byte.value * 1e9));
    CHECK(split.idle.value == Approx(gpu.power->static_power.value * time.value));
  }
}

TEST_CASE("The limit that holds the clock is reported on both sides of each edge") {
  const GpuSpec gpu = h200();
  const ChipWork light{Flops{1e6}, Bytes{1e6}, Bytes{1e6}, Bytes{1e6}, Cycles{1e6}};
  const ChipWork copies{Flops{}, Bytes{1e6}, Bytes{1e6}, Bytes{1e6}, Cycles{1e6}};
  const auto limiter = [&](const ChipWork& work, Regime regime) {
    return sm_clock(gpu, work, regime, Inputs::kNormal).limiter;
  };
  CHECK(limiter(light, Regime::kSustained) == ClockLimiter::kTensorPlateau);
  CHECK(limiter(copies, Regime::kSustained) == ClockLimiter::kHighestClock);
  CHECK(limiter(busy(6e9), Regime::kBurst) == ClockLimiter::kBurstPower);
  CHECK(limiter(busy(6e9), Regime::kSustained) == ClockLimiter::kSustainedPower);
}

}  // namespace
}  // namespace tilecast
