// What each of several cards of one kind is faster or slower by, from points that two of them have
// measured at least.
//
// For each trait (model/spec/cards.h) the logarithm of a point's value on a card is taken as
//
//   y(point, card) = a(point) + b(card) + chance
//
// and solved by least squares over all points and cards at once, so that cards which share no point
// are compared through others. Its value is the mean over the card's rows: the SM clock of bursts,
// that of sustained rows, power x time of sustained rows, and one over the time of kernels that
// reach 60 % of the datasheet's bandwidth by the bytes that they must move. No prediction enters.
//
// Only the differences of b are known. Zero is the mean of the cards that the machine's own rows
// are of, by rows: those with which predictions were calibrated. A value more than 5 standard
// deviations (by the median) and 1 % from what the rest say is an outlier: reported, left out,
// solved again. A card is one by 3 standard deviations of the cards, where there are four.
//
// Leaves out: that part of the differences is by kernel; it is in the chance, and so in the errors.
// Checked by: card_scale_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/spec/cards.h"
#include "model/spec/gpu_spec.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

struct CardFit {
  Cards cards;
  std::map<CardTrait, double> chance;        // standard deviation of one point on one card
  std::vector<std::string> outlying_points;  // one line each
  std::vector<std::string> outlying_cards;
};

/// `machine` are the rows that predictions were calibrated with, `others` those that come on top.
/// Throws ConfigError where no point was measured on two cards.
CardFit fit_cards(const GpuSpec& gpu, const std::vector<MeasurementFile>& machine,
                  const std::vector<MeasurementFile>& others);

}  // namespace tilecast
