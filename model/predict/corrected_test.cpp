#include "model/predict/corrected.h"

#include <cmath>

#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

LinearCorrection nothing() {
  LinearCorrection linear;
  linear.feature_mean.assign(kCorrectionFeatures.size(), 0);
  linear.feature_spread.assign(kCorrectionFeatures.size(), 1);
  linear.weight.assign(correction_term_count(), 0);
  linear.term_mean.assign(correction_term_count(), 0);
  return linear;
}

/// The same for every kernel: logarithms of the factors, and of the spread.
MethodCorrection constant_correction(double cycles, double clock, double spread = 0) {
  MethodCorrection correction{nothing(), nothing(), nothing(), {}};
  correction.cycles.constant = cycles;
  correction.clock.constant = clock;
  correction.spread.constant = spread;
  return correction;
}

/// 1000 cycles on top of 1 us. Power: 100 W, and at f a cycle of 1 uJ whatever its work; the energy
/// of tensor work is spread over the cycles. Held to 600 W in bursts, 350 W sustained.
GpuSpec example() {
  GpuSpec gpu{};
  gpu.sm.count = 1;
  gpu.default_interval = 0.2;
  gpu.clock = ClockSpec{
      .max = {2e9}, .tensor_plateau = {1.8e9}, .energy_reference = {1e9}, .energy_exponent = 0};
  gpu.power = PowerSpec{.sustained_limit = {350},
                        .burst_limit = {600},
                        .static_power = {100},
                        .per_flop_normal = {1}};
  return gpu;
}

/// Takes `cycles` for `joules`.
Physics physics(double cycles, double joules) {
  return {.cycles = [=](Hertz) { return Cycles{cycles}; },
          .work =
              [=](Cycles elapsed) {
                return ChipWork{{joules}, {}, {}, {}, elapsed};
              },
          .features = [](Hertz) { return Features{}; }};
}

CorrectedKernel run(const MethodCorrection& correction, const Physics& kernel,
                    Regime regime = Regime::kBurst, const GpuSpec& gpu = example()) {
  return correct(gpu, ReadyCorrection(correction), Schedule::kPingPong, Limiter::kTensor, regime,
                 Inputs::kNormal, gpu.clock->tensor_plateau, kernel);
}

TEST_CASE("A correction of nothing leaves the physics' own cycles and clock") {
  // 1000 cycles and 0.5 mJ: 0.5 uJ a cycle, 500 W at 1 GHz beside the 100.
  const CorrectedKernel kernel = run(constant_correction(0, 0), physics(1000, 0.5e-3));
  CHECK(kernel.cycles.value == 1000);
  CHECK(kernel.clock.sm_clock.value == Approx(1e9).epsilon(1e-5));
  CHECK(kernel.cycles_factor == 1);
  CHECK(kernel.clock_factor == 1);
  CHECK(kernel.interval_low == 0.8);
  CHECK(kernel.interval_high == 1.2);
}

TEST_CASE("Corrected cycles spread the same energy and leave another clock") {
  // 1250 cycles for 0.5 mJ are 0.4 uJ each: (600 - 100) / 0.4e-6 = 1.25 GHz in a burst,
  // 250 / 0.4e-6 = 0.625 GHz sustained.
  const MethodCorrection correction = constant_correction(std::log(1.25), 0);
  const CorrectedKernel burst = run(correction, physics(1000, 0.5e-3));
  CHECK(burst.cycles.value == Approx(1250));
  CHECK(burst.cycles_factor == Approx(1.25));
  CHECK(burst.clock.sm_clock.value == Approx(1.25e9).epsilon(1e-5));
  CHECK(burst.clock.limiter == ClockLimiter::kBurstPower);
  const CorrectedKernel sustained = run(correction, physics(1000, 0.5e-3), Regime::kSustained);
  CHECK(sustained.clock.sm_clock.value == Approx(0.625e9).epsilon(1e-5));
}

TEST_CASE("The clock's own correction comes last, and nanoseconds follow it") {
  // 1000 cycles + 1 us, little energy: the plateau of 1.8 GHz, 1.71 after 5 % off.
  Physics kernel = physics(1000, 1e-9);
  kernel.cycles = [](Hertz f) { return Cycles{1000 + f.value * 1e-6}; };
  const CorrectedKernel corrected = run(constant_correction(0, std::log(0.95)), kernel);
  CHECK(corrected.clock.sm_clock.value == Approx(1.71e9));
  CHECK(corrected.clock_factor == Approx(0.95));
  CHECK(corrected.cycles.value == Approx(2710));
  // Never beyond what the GPU has: 1.8 * 1.15 is 2.07.
  CHECK(run(constant_correction(0, std::log(1.15)), kernel).clock.sm_clock.value == 2e9);
}

TEST_CASE("A correction far beyond what a fit saw is cut") {
  // At exp(0.7) of the cycles, at exp(0.15) of the clock.
  const CorrectedKernel most = run(constant_correction(0.8, -0.2), physics(1000, 1e-9));
  CHECK(most.cycles_factor == Approx(std::exp(0.7)));
  CHECK(most.clock_factor == Approx(std::exp(-0.15)));
  const CorrectedKernel within = run(constant_correction(0.69, -0.14), physics(1000, 1e-9));
  CHECK(within.cycles_factor == Approx(std::exp(0.69)));
  CHECK(within.clock_factor == Approx(std::exp(-0.14)));
}

TEST_CASE("The interval is the quantiles of schedule and regime, times the spread") {
  MethodCorrection correction = constant_correction(0, 0, std::log(0.05));
  correction.quantiles = {
      {Regime::kSustained, std::nullopt, -1, 1},
      {Regime::kBurst, std::nullopt, -9, 9},  // the schedule's own counts, wherever it stands
      {Regime::kBurst, Schedule::kPingPong, -2, 3}};
  const Physics kernel = physics(1000, 1e-9);
  const CorrectedKernel burst = run(correction, kernel);
  CHECK(burst.interval_low == Approx(std::exp(-0.1)));
  CHECK(burst.interval_high == Approx(std::exp(0.15)));
  CHECK(run(correction, kernel, Regime::kSustained).interval_high == Approx(std::exp(0.05)));
  correction.widths = {{"tensor", 2}, {"l2", 5}};
  CHECK(run(correction, kernel).interval_low == Approx(std::exp(-0.2)));
  correction.spread.constant = 5;  // absurd: no wider than exp(3)
  CHECK(run(correction, kernel).interval_low == Approx(std::exp(-3)));
  CHECK(run(correction, kernel).interval_high == Approx(std::exp(3)));
}

TEST_CASE("A prediction of closed forms with a correction of nothing is the physics alone") {
  const GpuSpec plain = load_gpu("h200_sxm", false).spec;
  GpuSpec corrected = plain;
  const auto predict = [](const GpuSpec& gpu) {
    return predict_config(
        gpu, GemmProblem{{4096, 4096, 1024}, ElementType::kFp16, Layout::kTn},
        parse_kernel_config("warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,"
                            "ctas=1,inflight=1,c_slots=2,producer=24,grid=resident,"
                            "raster=grouped_m,group=8,walk=strided"),
        Regime::kBurst, Inputs::kNormal, Method::kAnalytic);
  };
  const Prediction physics_alone = predict(plain);
  corrected.correction = std::make_shared<const Correction>(
      Correction{constant_correction(0, 0), constant_correction(0, 0)});
  const Prediction same = predict(corrected);
  CHECK(same.time / physics_alone.time == Approx(1).epsilon(1e-4));
  CHECK(same.tflops == Approx(physics_alone.tflops).epsilon(1e-4));
  CHECK(same.cycles_correction == 1);
  corrected.correction = std::make_shared<const Correction>(
      Correction{constant_correction(std::log(1.1), 0), constant_correction(0, 0)});
  const Prediction slower = predict(corrected);
  CHECK(slower.cycles_correction == Approx(1.1));
  CHECK(slower.cycles / physics_alone.cycles == Approx(1.1).epsilon(0.02));
  CHECK(slower.sm_clock >= physics_alone.sm_clock);  // the same energy over more cycles
  CHECK(slower.time > physics_alone.time);
  CHECK(slower.tflops * slower.time.value ==
        Approx(physics_alone.tflops * physics_alone.time.value));
  CHECK(slower.closed_form_time == slower.time);
}

}  // namespace
}  // namespace tilecast
