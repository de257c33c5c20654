#include "validate/calibrate/boost.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "model/base/quantile.h"
#include "model/base/shuffle.h"
#include "model/learn/trees.h"

namespace tilecast {
namespace {

constexpr u64 kSeed = 20261127;
constexpr double kRate = 0.1;       // part of the residual that a tree takes
constexpr double kRamp = 0.3;       // width of a ramp, in parts of the 10th to 90th percentile
constexpr double kLinearFrom = 2;   // in 67th percentiles of a residual
constexpr double kUsual = 2.0 / 3;  // that percentile

/// A weight: a part of the whole, plus a minimum for few rows.
struct Weight {
  double part, least;

  double of(double whole) const { return part * whole + least; }
};
constexpr Weight kLeastSide{0.004, 8}, kLeafRidge{0.0004, 3}, kRefitRidge{0.005, 10};
constexpr double kPartOfFeatures = 0.5, kPartOfProblems = 0.7;
constexpr int kRefitRounds = 8;

using Leaves = Eigen::Matrix<float, kLeaves, 1>;
using LeafShares = Eigen::Matrix<float, Eigen::Dynamic, kLeaves, Eigen::RowMajor>;

/// Rounds to the digits that are written.
double written(double value) {
  if (value == 0) {
    return 0;
  }
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  return std::round(value / unit) * unit;
}

/// Share of each row in each leaf.
LeafShares shares_of(const Tree& tree, const std::vector<FeatureScale>& scale,
                     const Eigen::MatrixXf& features) {
  LeafShares shares(features.rows(), kLeaves);
  shares.col(0).setOnes();
  for (std::size_t s = 0; s < kSplits; ++s) {
    const Ramp& split = tree.splits[s];
    const FeatureScale& own = scale[split.feature];
    const Eigen::ArrayXf position =
        features.col(split.feature)
            .unaryExpr([at = own.at[split.threshold], width = own.width](float value) {
              return static_cast<float>(ramp(value, at, width));
            });
    const Eigen::Index half = Eigen::Index{1} << s;
    shares.middleCols(half, half) = shares.leftCols(half).array().colwise() * position;
    shares.leftCols(half) -= shares.middleCols(half, half);
  }
  return shares;
}

Leaves leaves_of(const Tree& tree) { return Eigen::Map<const Leaves>(tree.leaves.data()); }

/// Weighted least squares with a ridge that pulls to `towards`. `left` is the residual with
/// the leaves `before`.
Leaves fitted(const LeafShares& shares, const Eigen::VectorXf& weight, const Eigen::VectorXf& left,
              const Leaves& before, const Leaves& towards, double ridge) {
  using Squares = Eigen::Matrix<float, kLeaves, kLeaves>;
  const LeafShares weighted = weight.asDiagonal() * shares;
  Squares squares = weighted.transpose() * shares;
  const auto pull = static_cast<float>(ridge);
  const Leaves target = weighted.transpose() * left + squares * before + pull * towards;
  squares.diagonal().array() += pull;
  return squares.llt().solve(target);
}

/// Residual from which it counts linearly.
float linear_from(const Eigen::VectorXf& left) {
  std::vector<float> sizes(static_cast<std::size_t>(left.size()));
  std::ranges::transform(left, sizes.begin(), [](float value) { return std::abs(value); });
  const auto at =
      sizes.begin() + static_cast<std::ptrdiff_t>(kUsual * static_cast<double>(sizes.size() - 1));
  std::ranges::nth_element(sizes, at);
  constexpr float kLeast = 1e-6F;  // of residuals that are all 0
  return std::max(static_cast<float>(kLinearFrom) * *at, kLeast);
}

/// Chooses the splits of one tree.
class Splitter {
 public:
  Splitter(const BoostRows& rows, const std::vector<FeatureScale>& scale)
      : rows_(rows), scale_(scale), all_weight_(rows.weight.cast<double>().sum()) {
    for (std::size_t f = 0; f < scale.size(); ++f) {
      std::vector<std::uint8_t>& own = bins_.emplace_back();
      for (const float value : rows.features.col(static_cast<Eigen::Index>(f))) {
        own.push_back(static_cast<std::uint8_t>(std::ranges::lower_bound(scale[f].at, value) -
                                                scale[f].at.begin()));
      }
    }
  }

  /// Returns the split of a level that separates the rows of its nodes best, among some features;
  /// std::nullopt if each would leave too little on a side. `node` is the node of each row in `at`.
  std::optional<Ramp> split(const std::vector<Eigen::Index>& at,
                            const std::vector<std::uint8_t>& node, std::size_t nodes,
                            const Eigen::VectorXf& pull,
                            const std::vector<std::size_t>& features) const {
    struct Sums {
      float pull = 0, weight = 0;
    };
    const auto ridge = static_cast<float>(kLeafRidge.of(all_weight_)),
               least = static_cast<float>(kLeastSide.of(all_weight_));
    const auto gain = [ridge](const Sums& sums) {
      return sums.pull * sums.pull / (sums.weight + ridge);
    };
    std::optional<Ramp> best;
    float most = -1;
    for (const std::size_t f : features) {
      std::array<std::array<Sums, kMostThresholds + 1>, kLeaves / 2> by_bin{};
      for (std::size_t i = 0; i < at.size(); ++i) {
        Sums& bin = by_bin[node[i]][bins_[f][static_cast<std::size_t>(at[i])]];
        bin.pull += pull[at[i]];
        bin.weight += rows_.weight[at[i]];
      }
      std::array<Sums, kLeaves / 2> all{}, low{};
      float weight = 0;
      for (std::size_t n = 0; n < nodes; ++n) {
        for (const Sums& bin : by_bin[n]) {
          all[n] = {all[n].pull + bin.pull, all[n].weight + bin.weight};
        }
        weight += all[n].weight;
      }
      for (std::size_t threshold = 0; threshold < scale_[f].at.size(); ++threshold) {
        float below = 0, sum = 0;
        for (std::size_t n = 0; n < nodes; ++n) {
          const Sums& bin = by_bin[n][threshold];
          low[n] = {low[n].pull + bin.pull, low[n].weight + bin.weight};
          below += low[n].weight;
          sum += gain(low[n]) + gain({all[n].pull - low[n].pull, all[n].weight - low[n].weight});
        }
        if (std::min(below, weight - below) >= least && sum > most) {
          most = sum;
          best = Ramp{static_cast<std::uint8_t>(f), static_cast<std::uint8_t>(threshold)};
        }
      }
    }
    return best;
  }

  bool is_above(Eigen::Index row, const Ramp& split) const {
    return bins_[split.feature][static_cast<std::size_t>(row)] > split.threshold;
  }
  double all_weight() const { return all_weight_; }

 private:
  const BoostRows& rows_;
  const std::vector<FeatureScale>& scale_;
  double all_weight_;
  std::vector<std::vector<std::uint8_t>> bins_;  // number of thresholds below, by feature and row
};

/// Fits the leaves of all trees together, one tree after the other. `towards` holds the trees whose
/// leaves the ridge pulls to; empty for 0.
void fit_again(const BoostRows& rows, const std::vector<FeatureScale>& scale, double ridge,
               const std::vector<Tree>& towards, std::vector<Tree>& trees) {
  if (rows.target.size() == 0) {
    return;
  }
  Eigen::VectorXf left = rows.target - values_of(trees, scale, rows.features);
  for (int round = 0; round < kRefitRounds; ++round) {
    const float from = linear_from(left);
    const Eigen::VectorXf weight = rows.weight.array() * (from / left.array().abs().max(from));
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const LeafShares shares = shares_of(trees[t], scale, rows.features);
      const Leaves before = leaves_of(trees[t]);
      const Leaves now = fitted(shares, weight, left, before,
                                towards.empty() ? Leaves::Zero() : leaves_of(towards[t]), ridge);
      left -= shares * (now - before);
      std::ranges::copy(now, trees[t].leaves.begin());
    }
  }
}

}  // namespace

BoostRows BoostRows::part(const std::vector<Eigen::Index>& rows) const {
  BoostRows some{features(rows, Eigen::all), target(rows), weight(rows), {}};
  for (const Eigen::Index i : rows) {
    some.group.push_back(group[static_cast<std::size_t>(i)]);
  }
  return some;
}

std::vector<FeatureScale> feature_scale(FeatureNames names,
                                        const std::vector<KernelFeatures>& kernels) {
  std::vector<FeatureScale> scale;
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::vector<double> values;
    for (const KernelFeatures& kernel : kernels) {
      values.push_back(kernel.values[f]);
    }
    std::ranges::sort(values);
    FeatureScale& own = scale.emplace_back();
    if (values.empty()) {
      continue;
    }
    own.least = values.front();
    own.most = values.back();
    own.width = written(kRamp * (quantile_of_sorted<double>(values, 0.9) -
                                 quantile_of_sorted<double>(values, 0.1)));
    std::vector<double> different = values;
    different.erase(std::unique(different.begin(), different.end()), different.end());
    if (different.size() <= kMostThresholds) {
      for (std::size_t i = 1; i < different.size(); ++i) {
        own.at.push_back(written((different[i - 1] + different[i]) / 2));
      }
    } else {
      for (std::size_t i = 1; i <= kMostThresholds; ++i) {
        own.at.push_back(written(values[values.size() * i / (kMostThresholds + 1)]));
      }
    }
    own.at.erase(std::unique(own.at.begin(), own.at.end()), own.at.end());
  }
  return scale;
}

std::vector<Tree> boost(const BoostRows& rows, const std::vector<FeatureScale>& scale,
                        std::size_t most) {
  const Splitter splitter(rows, scale);
  const double ridge = kLeafRidge.of(splitter.all_weight());
  std::vector<Tree> trees;
  Eigen::VectorXf left = rows.target;
  std::mt19937_64 random(kSeed);
  std::vector<std::size_t> features(scale.size());
  std::iota(features.begin(), features.end(), std::size_t{0});
  std::vector<int> groups = rows.group;
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  const auto part_of = [](std::size_t count, double part) {
    return static_cast<std::ptrdiff_t>(std::ceil(part * static_cast<double>(count)));
  };
  for (std::size_t turn = 0; turn < most && left.size() > 0; ++turn) {
    shuffle(features, random);
    shuffle(groups, random);
    const std::vector<std::size_t> some(
        features.begin(), features.begin() + part_of(features.size(), kPartOfFeatures));
    std::vector<int> drawn(groups.begin(),
                           groups.begin() + part_of(groups.size(), kPartOfProblems));
    std::ranges::sort(drawn);
    std::vector<Eigen::Index> in;
    for (Eigen::Index i = 0; i < left.size(); ++i) {
      if (std::ranges::binary_search(drawn, rows.group[static_cast<std::size_t>(i)])) {
        in.push_back(i);
      }
    }
    const float from = linear_from(left);
    const Eigen::VectorXf clipped = left.cwiseMax(-from).cwiseMin(from);
    const Eigen::VectorXf pull = clipped.cwiseProduct(rows.weight);
    Tree tree;
    std::vector<std::uint8_t> node(in.size());
    std::size_t splits = 0;
    for (; splits < kSplits; ++splits) {
      const std::optional<Ramp> split =
          splitter.split(in, node, std::size_t{1} << splits, pull, some);
      if (!split) {
        break;
      }
      tree.splits[splits] = *split;
      for (std::size_t i = 0; i < in.size(); ++i) {
        node[i] |= static_cast<std::uint8_t>(splitter.is_above(in[i], *split) ? 1U << splits : 0U);
      }
    }
    if (splits < kSplits) {
      continue;
    }
    const LeafShares shares = shares_of(tree, scale, rows.features);
    const Leaves leaves =
        static_cast<float>(kRate) * fitted(shares(in, Eigen::all), rows.weight(in), clipped(in),
                                           Leaves::Zero(), Leaves::Zero(), ridge);
    std::ranges::copy(leaves, tree.leaves.begin());
    left -= shares * leaves;
    trees.push_back(tree);
  }
  fit_again(rows, scale, kRefitRidge.of(splitter.all_weight()), {}, trees);
  return trees;
}

std::vector<Tree> with_moved_leaves(std::vector<Tree> trees, const BoostRows& rows,
                                    const std::vector<FeatureScale>& scale, double ridge) {
  const std::vector<Tree> before = trees;
  fit_again(rows, scale, ridge, before, trees);
  return trees;
}

Eigen::VectorXf values_of(const std::vector<Tree>& trees, const std::vector<FeatureScale>& scale,
                          const Eigen::MatrixXf& features) {
  Eigen::VectorXf values = Eigen::VectorXf::Zero(features.rows());
  for (const Tree& tree : trees) {
    values += shares_of(tree, scale, features) * leaves_of(tree);
  }
  return values;
}

double weighted_median(const Eigen::VectorXf& values, const Eigen::VectorXf& weights) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, {}, [&](Eigen::Index i) { return values[i]; });
  double left = weights.cast<double>().sum() / 2;
  for (const Eigen::Index i : order) {
    left -= weights[i];
    if (left <= 0) {
      return values[i];
    }
  }
  return 0;
}

}  // namespace tilecast
