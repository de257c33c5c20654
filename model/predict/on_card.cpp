#include "model/predict/on_card.h"

#include <algorithm>
#include <cmath>

#include "model/predict/retime.h"

namespace tilecast {
namespace {

constexpr double kNineOfTen = 1.645;  // standard deviations to either side

CardTrait clock_trait(Regime regime) {
  return regime == Regime::kBurst ? CardTrait::kBurstClock : CardTrait::kSustainedClock;
}

/// What sets the kernel's time.
CardTrait deciding_trait(Regime regime, const Prediction& p) {
  return p.limiter == Limiter::kDram ? CardTrait::kDram : clock_trait(regime);
}

void widen(double spread, Prediction& p) {
  const auto wider = [&](Seconds side) {
    return std::exp(std::hypot(std::log(side / p.time), kNineOfTen * spread));
  };
  set_interval(1 / wider(p.interval_low), wider(p.interval_high), p);
}

}  // namespace

void on_card(const GpuSpec& gpu, const Card& card, Regime regime, Prediction& p) {
  const CardTrait deciding = deciding_trait(regime, p);
  const CardFactor decides = card.factor(deciding);
  Hertz clock = p.sm_clock * card.factor(clock_trait(regime)).factor;
  if (gpu.clock) {
    clock = std::min(clock, gpu.clock->max);
  }
  const Cycles cycles =
      deciding == CardTrait::kDram ? cycles_of(p.time / decides.factor, clock) : p.cycles;
  const double longer = time_of(cycles, clock) / p.time;
  const Watts power = p.power * (card.factor(CardTrait::kPower).factor / longer);
  retime(cycles,
         {.sm_clock = clock,
          .power = gpu.power && regime == Regime::kSustained
                       ? std::min(power, gpu.power->sustained_limit)
                       : power,
          .limiter = {}},
         p);
  widen(decides.error, p);
}

void on_unknown_card(const Cards& cards, Regime regime, Prediction& p) {
  if (const auto found = cards.spread.find(deciding_trait(regime, p));
      found != cards.spread.end()) {
    widen(found->second, p);
  }
}

void on_cards(const GpuSpec& gpu, const Cards& cards, const std::optional<std::string>& card,
              Ranking& ranking) {
  ranking.for_each_prediction([&](Prediction& p) {
    if (card) {
      on_card(gpu, cards.card(*card), ranking.regime, p);
    } else {
      on_unknown_card(cards, ranking.regime, p);
    }
  });
  std::ranges::stable_sort(ranking.predictions, {}, &Prediction::time);
}

}  // namespace tilecast
