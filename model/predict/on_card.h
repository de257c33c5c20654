// A prediction for one card of its kind, and for a card that is not known.
//
// A calibrated prediction is of the machine that was measured. A card has a clock of its own (a few
// per cent at the same cycles), which its kernels follow; where DRAM bounds a kernel it is the
// card's DRAM that sets the time instead, and the cycles follow. What a card does differently to
// single kernels is left out: it stays in the interval.
//
// Of a card that is not known the interval contains what cards differ by: each side's distance is
// sqrt(side^2 + (1.645 spread)^2) in logarithms, 1.645 since nine of ten lie between. Of a known
// one it contains its factor's error in the same way. Checked by: on_card_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "model/predict/prediction.h"
#include "model/spec/cards.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

void on_card(const GpuSpec& gpu, const Card& card, Regime regime, Prediction& p);
void on_unknown_card(const Cards& cards, Regime regime, Prediction& p);

/// All of a ranking, on the card where one is named, else on an unknown one; fastest first again.
void on_cards(const GpuSpec& gpu, const Cards& cards, const std::optional<std::string>& card,
              Ranking& ranking);

}  // namespace tilecast
