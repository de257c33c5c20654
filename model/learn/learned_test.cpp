#include "model/learn/learned.h"

#include <cmath>

#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

/// A model with one row, at the origin, with these corrections; spreads are 0.1 and 0.02.
LearnedModel one_row(double cycles, double clock) {
  LearnedModel model{.rows = {{"64x64x64", "a", Regime::kBurst, true, {}}}};
  model.length.fill(2);
  model.noise = 0.5;
  LearnedMethod method{{0.1, {cycles}, {cycles / 0.1}}, {0.02, {clock}, {clock / 0.02}}, {}};
  method.reach.each.fill(2);
  method.reach.each[2] = 3;  // factor for kernels limited by L2
  model.analytic = model.simulated = method;
  return model;
}

/// A kernel `lengths` length scales away from that row.
KernelFeatures away(double lengths, Limiter limiter = Limiter::kTensor) {
  KernelFeatures kernel{{}, limiter, Regime::kBurst};
  kernel.values[feature_index(kGemmFeatures, "tensor_share")] = 2 * lengths;
  return kernel;
}

TEST_CASE("A kernel similar to a measured one gets its correction, one far away gets none") {
  const LearnedModel model = one_row(0.05, -0.01);
  const LearnedPart learned(model, Method::kSimulated);
  const Learned same = learned.of(away(0));
  CHECK(same.cycles == Approx(0.05));
  CHECK(same.clock == Approx(-0.01));
  CHECK_FALSE(same.extrapolated);
  CHECK(learned.of(away(1)).cycles == Approx(0.05 * 0.523994).epsilon(1e-4));
  const Learned far = learned.of(away(20));
  CHECK(std::abs(far.cycles) < 1e-9);
  CHECK(std::abs(far.clock) < 1e-9);
  CHECK(far.extrapolated);
}

TEST_CASE("A kernel whose K exceeds every row's is extrapolated, however similar it is") {
  const LearnedModel model = one_row(0.05, -0.01);
  const LearnedPart learned(model, Method::kSimulated);
  for (const double beyond : {-0.1, 0.1}) {
    KernelFeatures kernel = away(0);
    kernel.values[feature_index(kGemmFeatures, "k")] += beyond;
    const Learned other = learned.of(kernel);
    CHECK(other.extrapolated);
    CHECK(other.cycles ==
          Approx(0.05).epsilon(0.01));  // still corrected, because no rows are more similar
  }
}

TEST_CASE("A kernel unlike every row has the prior spread, wherever it lies") {
  const LearnedModel model = one_row(0.05, -0.01);
  const LearnedPart learned(model, Method::kSimulated);
  KernelFeatures kernel = away(0);
  kernel.never_learned = true;
  const Learned other = learned.of(kernel);
  CHECK(other.extrapolated);
  CHECK(other.interval->high == Approx(2 * 0.101980).epsilon(1e-4));
  CHECK(other.cycles == learned.of(away(0)).cycles);
}

TEST_CASE("Intervals grow with the remaining variance, and by bottleneck") {
  const LearnedModel model = one_row(0.05, -0.01);
  const LearnedPart learned(model, Method::kAnalytic);
  // With noise 0.25, at the row 0.25 / 1.25 = 0.2 of the variance remains; sqrt(0.2) = 0.447214
  // times sqrt(0.1^2 + 0.02^2) = 0.101980.
  CHECK(learned.deviation(away(0)) == Approx(0.045607).epsilon(1e-4));
  CHECK(learned.of(away(0)).interval->high == Approx(2 * 0.045607).epsilon(1e-4));
  CHECK(learned.of(away(0)).interval->low == Approx(-2 * 0.045607).epsilon(1e-4));
  CHECK(learned.of(away(0, Limiter::kL2)).interval->high == Approx(3 * 0.045607).epsilon(1e-4));
  double before = 0;
  for (const double lengths : {0.0, 0.5, 1.0, 2.0, 4.0, 8.0}) {
    const double now = learned.deviation(away(lengths));
    CHECK(now > before);
    before = now;
  }
  CHECK(learned.deviation(away(50)) == Approx(0.101980).epsilon(1e-4));
}

TEST_CASE("The analytic model ignores simulated features") {
  const LearnedModel model = one_row(0.05, 0);
  KernelFeatures kernel = away(0);
  kernel.values[0] = 40;
  REQUIRE(kGemmFeatures[0] == "simulated_over_closed_form");
  CHECK(LearnedPart(model, Method::kAnalytic).of(kernel).cycles == Approx(0.05));
  CHECK(std::abs(LearnedPart(model, Method::kSimulated).of(kernel).cycles) < 1e-9);
}

TEST_CASE("A correction is bounded") {
  const LearnedModel model = one_row(2, -1);
  const Learned learned = LearnedPart(model, Method::kAnalytic).of(away(0));
  CHECK(learned.cycles == kMostOfCycles);
  CHECK(learned.clock == -kMostOfClock);
}

TEST_CASE("A batch of kernels gets the same corrections as one by one") {
  const LearnedModel model = one_row(0.05, -0.01);
  const LearnedPart learned(model, Method::kAnalytic);
  const std::vector<KernelFeatures> kernels{away(0), away(3), away(1)};
  const std::vector<Learned> all = learned.of(kernels);
  REQUIRE(all.size() == 3);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    CHECK(all[i].cycles == learned.of(kernels[i]).cycles);
    CHECK(all[i].interval->high == learned.of(kernels[i]).interval->high);
  }
}

TEST_CASE("Reasons list the rows behind a correction, most similar first") {
  LearnedModel model = one_row(0.05, -0.01);
  model.rows.push_back({"128x64x64", "b", Regime::kSustained, false, away(0.5).values});
  model.rows.push_back({"4096x64x64", "far", Regime::kBurst, false, away(9).values});
  for (LearnedMethod* method : {&model.analytic, &model.simulated}) {
    for (LearnedOutput* output : {&method->cycles, &method->clock}) {
      output->off.insert(output->off.end(), {0.25, 0.5});
      output->weight.insert(output->weight.end(), {1, 1});
    }
  }
  const LearnedPart learned(model, Method::kAnalytic);
  const auto [reasons, alike, rows] = learned.reasons(away(0.1));
  REQUIRE(reasons.size() == 2);  // the third row is hardly similar
  CHECK(alike == 2);
  CHECK(rows == 3);
  CHECK(reasons[0].row->config == "a");
  CHECK(reasons[0].cycles_off == 0.05);
  CHECK(reasons[1].row->config == "b");
  CHECK(reasons[1].likeness < reasons[0].likeness);
  CHECK(reasons[1].clock_off == 0.25);
  CHECK(learned.reasons(away(0.1), 1).nearest.size() == 1);
  CHECK(learned.reasons(away(0.1), 1).similar == 2);
  CHECK(learned.reasons(away(-30)).nearest.empty());
}

/// Power is 100 W plus 1 uJ per cycle, for any work; the energy of tensor work is spread over the
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
  // 1000 cycles and 0.5 mJ are 0.5 uJ per cycle, so 500 W at 1 GHz are added to the 100 W.
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
  // 1250 cycles and 0.5 mJ are 0.4 uJ each: (600 - 100) / 0.4e-6 = 1.25 GHz in a burst, 250 /
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
  // The kernel takes 1000 cycles + 1 us, with little energy: the clock is the plateau of 1.8 GHz,
  // or 1.71 GHz after a 5 % correction.
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
  const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  const auto predict = [&](const GemmShape& shape, const char* config) {
    return predict_config(gpu, GemmProblem{shape, ElementType::kFp16, Layout::kTn},
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
