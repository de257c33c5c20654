#include "model/predict/on_card.h"

#include <cmath>

#include "model/spec/load_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

Prediction prediction(Limiter limiter) {
  Prediction p{};
  p.cycles = Cycles{150'000};
  p.sm_clock = Hertz{1.5e9};
  p.time = Seconds{100e-6};
  p.interval_low = Seconds{90e-6};
  p.interval_high = Seconds{110e-6};
  p.limiter = limiter;
  p.power = Watts{500};
  p.tflops = 700;
  return p;
}

const Card kSlow{"GPU-a",
                 {{CardTrait::kBurstClock, {0.96, 0, 9}},
                  {CardTrait::kDram, {0.98, 0, 9}},
                  {CardTrait::kPower, {1.1, 0, 9}}}};

}  // namespace

TEST_CASE("A kernel that the tensor cores bound takes the same cycles at the card's clock") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  Prediction p = prediction(Limiter::kTensor);
  on_card(gpu, kSlow, Regime::kBurst, p);
  CHECK(p.cycles.value == Approx(150'000));
  CHECK(p.sm_clock.value == Approx(1.44e9));
  CHECK(p.time.value == Approx(100e-6 / 0.96));
  CHECK(p.interval_high.value == Approx(110e-6 / 0.96));
  CHECK(p.power.value == Approx(500 * 1.1 * 0.96));  // more energy, in a longer time
  CHECK(p.tflops == Approx(700 * 0.96));
  // Not measured under continuous load: as predicted.
  Prediction sustained = prediction(Limiter::kTensor);
  on_card(gpu, kSlow, Regime::kSustained, sustained);
  CHECK(sustained.time.value == Approx(100e-6));
}

TEST_CASE("A kernel that DRAM bounds takes the time that the card's DRAM needs") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  Prediction p = prediction(Limiter::kDram);
  on_card(gpu, kSlow, Regime::kBurst, p);
  CHECK(p.time.value == Approx(100e-6 / 0.98));
  CHECK(p.cycles.value == Approx(100e-6 / 0.98 * 1.44e9));
}

TEST_CASE("No card runs above the highest clock") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  Prediction p = prediction(Limiter::kTensor);
  on_card(gpu, {"GPU-b", {{CardTrait::kBurstClock, {2, 0, 1}}}}, Regime::kBurst, p);
  CHECK(p.sm_clock == gpu.clock->max);
}

TEST_CASE("The interval of an unknown card contains what cards differ by") {
  Cards cards;
  cards.spread = {{CardTrait::kBurstClock, 0.03}};
  Prediction p = prediction(Limiter::kTensor);
  on_unknown_card(cards, Regime::kBurst, p);
  CHECK(p.time.value == 100e-6);
  CHECK(std::log(p.interval_high / p.time) == Approx(std::hypot(std::log(1.1), 1.645 * 0.03)));
  CHECK(std::log(p.interval_low / p.time) == Approx(-std::hypot(std::log(0.9), 1.645 * 0.03)));
  Prediction unknown = prediction(Limiter::kDram);  // no spread is known of it
  on_unknown_card(cards, Regime::kBurst, unknown);
  CHECK(unknown.interval_high.value == 110e-6);
}

TEST_CASE("On a card a ranking is fastest first again") {
  Ranking ranking{.problem = GemmProblem{}, .regime = Regime::kBurst};
  Prediction dram = prediction(Limiter::kDram);
  dram.time = Seconds{101e-6};
  ranking.predictions = {prediction(Limiter::kTensor), dram};
  Cards cards{.cards = {kSlow}, .spread = {}};
  // 100 / 0.96 = 104.2 us against 101 / 0.98 = 103.1 us.
  on_cards(load_gpu("h200_sxm", false).spec, cards, "GPU-a", ranking);
  CHECK(ranking.predictions.front().limiter == Limiter::kDram);
}
