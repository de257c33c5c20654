#include "model/learn/trees.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilecast {

double ramp(double value, double at, double width) {
  return width > 0 ? std::clamp((value - at) / width + 0.5, 0.0, 1.0) : value > at ? 1.0 : 0.0;
}

RampPositions::RampPositions(std::span<const FeatureScale> scale, const Features& features) {
  for (std::size_t f = 0; f < scale.size(); ++f) {
    const FeatureScale& own = scale[f];
    for (std::size_t i = 0; i < own.at.size(); ++i) {
      positions_[f * kMostThresholds + i] =
          static_cast<float>(ramp(features[f], own.at[i], own.width));
    }
  }
}

double value_of(const LearnedSum& sum, const RampPositions& positions) {
  double value = sum.level;
  for (const Tree& tree : sum.trees) {
    std::array<float, kLeaves> leaves = tree.leaves;
    for (std::size_t s = kSplits; s-- > 0;) {
      const float position = positions.of(tree.splits[s]);
      const std::size_t half = std::size_t{1} << s;
      for (std::size_t i = 0; i < half; ++i) {
        leaves[i] += position * (leaves[i + half] - leaves[i]);
      }
    }
    value += leaves[0];
  }
  return value;
}

std::vector<double> contributions_of(const LearnedSum& sum, FeatureNames names,
                                     const RampPositions& positions) {
  const std::vector<std::string_view> groups = feature_groups(names);
  std::vector<std::size_t> group_of;
  for (const Feature& feature : names) {
    group_of.push_back(
        static_cast<std::size_t>(std::ranges::find(groups, feature.group) - groups.begin()));
  }
  std::vector<double> parts(groups.size() + 1);
  parts.back() = sum.level;
  for (const Tree& tree : sum.trees) {
    std::array<double, kLeaves> terms;  // by subset of the splits
    std::ranges::copy(tree.leaves, terms.begin());
    for (std::size_t s = 0; s < kSplits; ++s) {
      const std::size_t bit = std::size_t{1} << s;
      const double position = positions.of(tree.splits[s]) - 0.5;
      for (std::size_t i = 0; i < kLeaves; ++i) {
        if ((i & bit) == 0) {
          const double low = terms[i], high = terms[i | bit];
          terms[i] = (low + high) / 2;
          terms[i | bit] = (high - low) * position;
        }
      }
    }
    parts.back() += terms[0];
    for (std::size_t i = 1; i < kLeaves; ++i) {
      const double of_each = terms[i] / std::popcount(i);
      for (std::size_t s = 0; s < kSplits; ++s) {
        if ((i >> s & 1) != 0) {
          parts[group_of[tree.splits[s].feature]] += of_each;
        }
      }
    }
  }
  return parts;
}

}  // namespace tilecast
