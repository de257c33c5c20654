// Ridge regression with absolute errors (iteratively reweighted squares), and what it says of each
// row when the row's group is left out.
//
//   y = constant + (terms - mean) weight,   sum w_i |y - ...| + penalty * |weight|^2
// is least over constant and weight.
// A group's left-out answer subtracts its rows from the weighted products and solves again; the
// weights of the last round are kept for that.
// Checked by: ridge_test.cpp.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tilecast {

struct Ridge {
  double constant = 0;
  Eigen::VectorXd weight, term_mean;
  Eigen::VectorXd left_out;  // of each row: what the others' fit says of it
};

/// `terms`: a row for each of `y`. `folds`: which fold each row is left out with, from 0.
Ridge robust_ridge(const Eigen::MatrixXd& terms, const Eigen::VectorXd& y,
                   const Eigen::VectorXd& row_weight, const std::vector<int>& folds,
                   double penalty);

}  // namespace tilecast
