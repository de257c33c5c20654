// calibrate --cards: a scale for each of several cards (validate/calibrate/card_scale.h).
#pragma once

#include <string>
#include <vector>

namespace tilecast {

/// `data` are the rows that the GPU's overlay was fitted to, `cards` those of other cards. Writes
/// the scales to `out`, NAME.cards.yaml, or beside the GPU's file where that is empty, and prints
/// them with the outliers. Throws what fit_cards throws.
void calibrate_cards(const std::string& gpu, const std::vector<std::string>& data,
                     const std::vector<std::string>& cards, const std::string& out);

}  // namespace tilecast
