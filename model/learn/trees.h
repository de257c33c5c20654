// A sum of trees of four splits at prediction time: its value, and the contribution of each group
// of features, which add up to it.
//
// All nodes of a level ask the same question, so a tree is a table of 16 leaves, and a kernel's
// position on four ramps is where the table is interpolated. Written as a sum over the subsets of
// the four splits, each term is a coefficient times the products of the positions minus 1/2; a
// term's features share it equally (their Shapley values). Contributions are less their means over
// the measured rows. Not modelled: interactions of more than four features. Checked by:
// trees_test.cpp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/spec/learned_model.h"

namespace tilecast {

/// Position of a value on a ramp around `at`, 0 to 1.
double ramp(double value, double at, double width);

/// Position of a kernel on every ramp.
class RampPositions {
 public:
  RampPositions(std::span<const FeatureScale> scale, const Features& features);

  float of(const Ramp& split) const {
    return positions_[split.feature * kMostThresholds + split.threshold];
  }

 private:
  std::array<float, kMostFeatures * kMostThresholds> positions_;
};

double value_of(const LearnedSum& sum, const RampPositions& positions);

/// Returns the contribution of each group, in the order of feature_groups, and last the part
/// that all kernels have in common. Their sum is the value.
std::vector<double> contributions_of(const LearnedSum& sum, FeatureNames names,
                                     const RampPositions& positions);

}  // namespace tilecast
