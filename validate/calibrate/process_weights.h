// Computes the weights of a Gaussian process's rows (model/learn/gaussian_process.h), and its
// predictions of held-out rows.
//
// If a subset of rows is kept, the weights are those that fit all rows best: (K + Kn' / noise Kn) w
// = Kn' / noise y, solved once per held-out fold. If all rows are kept, (K + noise) w = y, and one
// factorization gives all folds. Checked by: process_weights_test.cpp.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tilecast {

struct ProcessRows {
  Eigen::MatrixXd points;   // one row per measured row, features in units of length scales
  Eigen::MatrixXd targets;  // one column per output, in units of spread
  Eigen::VectorXd
      noise;  // variance relative to the prior's; if all rows are kept, infinity excludes a row
  std::vector<Eigen::Index> kept;
  // fold of each row, from 0; if all rows are kept, a negative one is in every fit
  std::vector<int> fold;
};

struct ProcessWeights {
  Eigen::MatrixXd weights;   // weights of the kept rows, for each target
  Eigen::MatrixXd left_out;  // prediction of each row in a fold from the other folds
};

ProcessWeights process_weights(const ProcessRows& rows, unsigned threads);

}  // namespace tilecast
