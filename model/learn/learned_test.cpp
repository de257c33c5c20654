#include "model/learn/learned.h"

#include <cmath>

#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

constexpr auto kShare = static_cast<std::uint8_t>(feature_index(kGemmFeatures, "tensor_share"));

/// A model of one tree: corrections of `cycles` and `clock` where the tensor share is over 0.5,
/// half of them below; an expected error of 0.02. Measured from 0 to 1 in every feature.
LearnedModel one_tree(double cycles, double clock) {
  LearnedModel model{
      .scale = std::vector<FeatureScale>(
          std::size(kGemmFeatures), FeatureScale{.at = {0.5}, .width = 0, .least = 0, .most = 1}),
      .kinds = {"ping_pong"}};
  const auto sum = [](double value) {
    Tree tree;
    tree.splits.fill({kShare, 0});
    for (std::size_t i = 0; i < kLeaves; ++i) {
      tree.leaves[i] = static_cast<float>(i % 2 == 0 ? value / 2 : value);
    }
    return LearnedSum{
        .trees = {tree},
        .usual = std::vector<double>(feature_groups(kGemmFeatures).size(), value / 10)};
  };
  model.analytic = {.cycles = sum(cycles),
                    .clock = sum(clock),
                    .error = {.level = std::log(0.02)},
                    .uncorrected = 0.3};
  model.analytic.reach.each.fill(2);
  model.analytic.reach.each[2] = 3;  // factor for kernels limited by L2
  return model;
}

KernelFeatures kernel_of(double tensor_share, Limiter limiter = Limiter::kTensor) {
  KernelFeatures kernel{{}, limiter, Regime::kBurst, {"ping_pong"}};
  kernel.values[kShare] = tensor_share;
  return kernel;
}

TEST_CASE("A correction is the value of its trees") {
  const LearnedModel model = one_tree(0.05, -0.01);
  const LearnedPart learned(model, Method::kSimulated);  // nothing simulated: the analytic one
  CHECK(learned.of(kernel_of(0.9)).cycles == Approx(0.05));
  CHECK(learned.of(kernel_of(0.9)).clock == Approx(-0.01));
  CHECK(learned.of(kernel_of(0.1)).cycles == Approx(0.025));
  CHECK_FALSE(learned.of(kernel_of(0.9)).extrapolated);
}

TEST_CASE("A kernel of a kind or with a feature that was not measured is extrapolated") {
  const LearnedModel model = one_tree(0.05, -0.01);
  const LearnedPart learned(model, Method::kAnalytic);
  KernelFeatures kernel = kernel_of(0.9);
  kernel.kinds.emplace_back("groups");
  const Learned unknown = learned.of(kernel);
  CHECK(unknown.extrapolated);
  CHECK(unknown.cycles == Approx(0.05));         // still corrected
  CHECK(unknown.interval->high == Approx(0.3));  // the interval of an uncorrected kernel
  CHECK(unknown.interval->low == Approx(-0.3));
  // A quarter of the range beyond it; the loop's length may not exceed it.
  CHECK_FALSE(learned.of(kernel_of(1.24)).extrapolated);
  CHECK(learned.of(kernel_of(1.26)).extrapolated);
  KernelFeatures longer = kernel_of(0.9);
  longer.values[feature_index(kGemmFeatures, "k")] = 1.01;
  CHECK(learned.of(longer).extrapolated);
}

TEST_CASE("Intervals are multiples of the expected error, by bottleneck") {
  const LearnedModel model = one_tree(0.05, -0.01);
  const LearnedPart learned(model, Method::kAnalytic);
  CHECK(learned.of(kernel_of(0.9)).interval->high == Approx(0.04));
  CHECK(learned.of(kernel_of(0.9)).interval->low == Approx(-0.04));
  CHECK(learned.of(kernel_of(0.9, Limiter::kL2)).interval->high == Approx(0.06));
}

TEST_CASE("The widest of a kernel's kinds widens its interval") {
  LearnedModel model = one_tree(0.05, -0.01);
  model.kinds = {"groups", "ping_pong"};
  model.analytic.reach.wider = {{"groups", 1.5}, {"ping_pong", 1.2}};
  const LearnedPart learned(model, Method::kAnalytic);
  KernelFeatures kernel = kernel_of(0.9);
  CHECK(learned.of(kernel).interval->high == Approx(0.048));
  kernel.kinds.emplace_back("groups");
  CHECK(learned.of(kernel).interval->high == Approx(0.06));
}

TEST_CASE("A correction is bounded") {
  const LearnedModel model = one_tree(2, -1);
  const Learned learned = LearnedPart(model, Method::kAnalytic).of(kernel_of(0.9));
  CHECK(learned.cycles == kMostOfCycles);
  CHECK(learned.clock == -kMostOfClock);
}

TEST_CASE("A batch of kernels gets the same corrections as one by one") {
  const LearnedModel model = one_tree(0.05, -0.01);
  const LearnedPart learned(model, Method::kAnalytic);
  const std::vector<KernelFeatures> kernels{kernel_of(0), kernel_of(0.9), kernel_of(0.2)};
  const std::vector<Learned> all = learned.of(kernels);
  REQUIRE(all.size() == 3);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    CHECK(all[i].cycles == learned.of(kernels[i]).cycles);
    CHECK(all[i].interval->high == learned.of(kernels[i]).interval->high);
  }
}

TEST_CASE("Contributions add up to the correction, relative to the mean kernel") {
  const LearnedModel model = one_tree(0.05, -0.01);
  const LearnedPart learned(model, Method::kAnalytic);
  const std::vector<LearnedContribution> parts = learned.contributions(kernel_of(0.9));
  double cycles = 0, clock = 0;
  for (const LearnedContribution& part : parts) {
    cycles += part.cycles;
    clock += part.clock;
    if (part.group == "tensor cores") {
      CHECK(part.cycles == Approx(0.0125 - 0.005));  // over the mean of the leaves, less usual
    }
  }
  CHECK(cycles == Approx(0.05));
  CHECK(clock == Approx(-0.01));
  CHECK(parts.front().group == "all kernels");  // the mean of the leaves and the usual parts
}

/// Power is 100 W plus 1 uJ per cycle at any work; the energy of tensor work is spread over the
/// cycles. Limits: 600 W in bursts, 350 W sustained.
GpuSpec example() {
  GpuSpec gpu{};
  gpu.sm.count = 1;
  gpu.default_interval = 0.2;
  gpu.clock = ClockSpec{.max = {2e9}, .tensor_plateau = {1.8e9}, .energy_exponent = 0};
  gpu.power = PowerSpec{.sustained_limit = {350},
                        .burst_limit = {600},
                        .static_power = {100},
                        .per_flop_normal = {1}};
  return gpu;
}

/// A kernel's work, and its cycles as a function of the clock.
struct Physics {
  KernelActivity kernel;
  std::function<UncorrectedCycles(Hertz)> cycles;
};

/// A kernel that takes `cycles` and `joules`.
Physics physics(double cycles, double joules) {
  return {{{{joules}, {}, {}, {}, {}}}, [=](Hertz) {
            return UncorrectedCycles{{cycles}, {0.9 * cycles}};
          }};
}

/// An uncorrected prediction at the plateau.
Prediction plain(double cycles) {
  Prediction p{};
  p.config = KernelConfig{};
  p.cycles = {cycles};
  p.sm_clock = example().clock->tensor_plateau;
  p.time = time_of(p.cycles, p.sm_clock);
  return p;
}

Prediction applied(const Learned& learned, const Physics& kernel, Regime regime = Regime::kBurst,
                   Inputs inputs = Inputs::kNormal) {
  Prediction p = plain(1000);
  apply_learned(example(), learned, regime, inputs, kernel.kernel, kernel.cycles, p);
  return p;
}

TEST_CASE("An empty correction keeps the uncorrected cycles and clock") {
  // 1000 cycles and 0.5 mJ are 0.5 uJ per cycle, so 500 W at 1 GHz in addition to the 100.
  const Prediction p = applied({}, physics(1000, 0.5e-3));
  CHECK(p.cycles.value == 1000);
  CHECK(p.sm_clock.value == Approx(1e9).epsilon(1e-5));
  CHECK(p.cycles_correction == 1);
  CHECK(p.clock_correction == 1);
  CHECK(p.interval_low / p.time == Approx(0.8));
  CHECK(p.interval_high / p.time == Approx(1.2));
  CHECK_FALSE(p.extrapolated);
}

TEST_CASE("Corrected cycles spread the same energy and change the clock") {
  // 1250 cycles for 0.5 mJ are 0.4 uJ each: (600 - 100) / 0.4e-6 = 1.25 GHz in a burst, 250 /
  // 0.4e-6 = 0.625 GHz sustained.
  const Learned slower{.cycles = std::log(1.25)};
  const Prediction burst = applied(slower, physics(1000, 0.5e-3));
  CHECK(burst.cycles.value == Approx(1250));
  CHECK(burst.cycles_correction == Approx(1.25));
  CHECK(burst.sm_clock.value == Approx(1.25e9).epsilon(1e-5));
  CHECK(applied(slower, physics(1000, 0.5e-3), Regime::kSustained).sm_clock.value ==
        Approx(0.625e9).epsilon(1e-5));
}

TEST_CASE("A correction leaves the start, the tensor operations and the end of a kernel") {
  // 900 of 1000 cycles
  CHECK(applied({.cycles = std::log(0.91)}, physics(1000, 1e-9)).cycles.value == Approx(910));
  CHECK(applied({.cycles = std::log(0.89)}, physics(1000, 1e-9)).cycles.value == Approx(900));
  Physics shorter = physics(1000, 1e-9);  // the simulation of this kernel takes less
  shorter.cycles = [](Hertz) { return UncorrectedCycles{{800}, {900}}; };
  CHECK(applied({.cycles = std::log(0.9)}, shorter).cycles.value == Approx(800));
}

TEST_CASE("The clock correction is applied last, and latencies in nanoseconds follow it") {
  // 1000 cycles + 1 us, with little energy: the clock is the plateau of 1.8 GHz, or 1.71 GHz after
  // a 5 % correction.
  Physics kernel = physics(1000, 1e-9);
  kernel.cycles = [](Hertz f) { return UncorrectedCycles{{1000 + f.value * 1e-6}, {}}; };
  const Prediction p = applied({.clock = std::log(0.95)}, kernel);
  CHECK(p.sm_clock.value == Approx(1.71e9));
  CHECK(p.clock_correction == Approx(0.95));
  CHECK(p.cycles.value == Approx(2710));
  // The clock never exceeds the GPU's maximum: 1.8 * 1.15 is 2.07.
  CHECK(applied({.clock = std::log(1.15)}, kernel).sm_clock.value == 2e9);
}

TEST_CASE("The interval and the extrapolation flag reach the prediction") {
  const Learned learned{
      .cycles = 0, .clock = 0, .interval = Learned::Interval{-0.1, 0.2}, .extrapolated = true};
  const Prediction p = applied(learned, physics(1000, 1e-9));
  CHECK(p.interval_low / p.time == Approx(std::exp(-0.1)));
  CHECK(p.interval_high / p.time == Approx(std::exp(0.2)));
  CHECK(p.extrapolated);
}

TEST_CASE("The spread between cards widens an interval, depending on the regime") {
  GpuSpec gpu = example();
  gpu.card_spread = CardSpread{.burst = 0.1, .sustained = 0};
  const Physics kernel = physics(1000, 1e-9);
  const Learned learned{.interval = Learned::Interval{-0.1, 0.2}};
  const auto of = [&](Regime regime) {
    Prediction p = plain(1000);
    apply_learned(gpu, learned, regime, Inputs::kNormal, kernel.kernel, kernel.cycles, p);
    return p;
  };
  // 1.645 standard deviations of 0.1 cover 90 % of the GPUs: sqrt(0.1^2 + 0.1645^2) = 0.1925 and
  // sqrt(0.2^2 + 0.1645^2) = 0.2590 in the logarithm.
  const Prediction burst = of(Regime::kBurst);
  CHECK(burst.interval_low / burst.time == Approx(std::exp(-0.1925)).epsilon(1e-3));
  CHECK(burst.interval_high / burst.time == Approx(std::exp(0.2590)).epsilon(1e-3));
  const Prediction sustained = of(Regime::kSustained);
  CHECK(sustained.interval_low / sustained.time == Approx(std::exp(-0.1)));
}

TEST_CASE("A GPU without measured kernels has no learned correction") {
  CHECK_FALSE(learned_part(load_gpu("h200_sxm", false).spec, Method::kAnalytic).has_value());
  CHECK(learned_part(load_gpu("h200_sxm", true).spec, Method::kSimulated).has_value());
}

TEST_CASE("The H200's learned correction is small, and applies to similar kernels only") {
  const auto predict = [&](const GemmShape& shape, const char* config) {
    return predict_config(calibrated_h200(), GemmProblem{shape, ElementType::kFp16, Layout::kTn},
                          gemm_config(config), Regime::kBurst, Inputs::kNormal, Method::kAnalytic);
  };
  const char* usual = "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 r24";
  const Prediction known = predict({4096, 4096, 4096}, usual);
  CHECK_FALSE(known.extrapolated);
  CHECK(known.interval_high / known.interval_low < 1.2);
  const Prediction strange = predict({64, 8, 33'554'432}, usual);
  CHECK(strange.extrapolated);
  CHECK(strange.interval_high / strange.interval_low > known.interval_high / known.interval_low);
}

}  // namespace
}  // namespace tilecast
