// Fits a sum of trees (model/learn/trees.h) to residuals by gradient boosting, after which ridge
// regression fits all leaves again together: boosting only chooses the splits.
//
// Each tree sees 70 % of the problems and half of the features. A split maximizes the weighted
// variance between its halves, summed over the nodes of its level; leaves then account for the
// ramps. Residuals far from 0 count linearly (Huber). Minimum weights and ridges grow with the
// whole weight, so that they suit a few hundred rows or twenty thousand. Deterministic on one
// machine: one seed, one thread.
//
// Another GPU's trees can be a prior: their splits stay, and a ridge pulls each leaf to its value
// there. Not modelled: splits chosen several at a time. Checked by: boost_test.cpp.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "model/learn/features.h"
#include "model/spec/learned_model.h"

namespace tilecast {

/// Rows of a fit. Features are columns.
struct BoostRows {
  Eigen::MatrixXf features;
  Eigen::VectorXf target, weight;
  std::vector<int> group;  // rows of a group are drawn together

  /// Returns the rows with these indices.
  BoostRows part(const std::vector<Eigen::Index>& rows) const;
};

/// Thresholds at quantiles of the measured kernels, and the range of each feature.
std::vector<FeatureScale> feature_scale(FeatureNames names,
                                        const std::vector<KernelFeatures>& kernels);

/// Returns at most `trees` trees; fewer if nothing is left to split.
std::vector<Tree> boost(const BoostRows& rows, const std::vector<FeatureScale>& scale,
                        std::size_t trees);

/// Returns the trees with leaves fitted to the rows; each leaf costs `ridge` times the square of
/// its change.
std::vector<Tree> with_moved_leaves(std::vector<Tree> trees, const BoostRows& rows,
                                    const std::vector<FeatureScale>& scale, double ridge);

/// Returns the sum of the trees for each row of `features`.
Eigen::VectorXf values_of(const std::vector<Tree>& trees, const std::vector<FeatureScale>& scale,
                          const Eigen::MatrixXf& features);

/// Median of the values; half of the weight belongs to smaller ones. 0 of no values.
double weighted_median(const Eigen::VectorXf& values, const Eigen::VectorXf& weights);

}  // namespace tilecast
