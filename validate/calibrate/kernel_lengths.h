// Length scales of a Gaussian process's features that minimize the error on left-out problems, as
// predictions of new problems require. Maximum likelihood would prefer lengths that distinguish a
// row from its near duplicates.
//
// With P the inverse of the rows' covariance, and f the rows of a fold, their error by the others
// is P_ff^-1 (P y)_f, so one inverse gives all folds, and its derivatives by every length
// (kernel_lengths.cpp). Optimized with Rprop (steps by the signs of the gradient).
// Checked by: kernel_lengths_test.cpp (derivatives; useless features get long).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tilecast {

struct LengthRows {
  Eigen::MatrixXd features;  // one row per point
  Eigen::MatrixXd targets;   // standardized; one column per output
  Eigen::VectorXd weight;    // weight of a row's error
  Eigen::VectorXd noise;     // relative variance
  std::vector<int> fold;     // number, from 0
};

struct KernelLengths {
  Eigen::VectorXd length;  // per feature, in its own unit
  double noise;            // standard deviation of a row with noise 1, relative to the targets'
                           // spread
};

/// Error on left-out rows, about |error| if large; `gradient` by the logarithms of 1 / length, then
/// of the noise.
double left_out_error(const LengthRows& rows, const KernelLengths& at, Eigen::VectorXd& gradient);

KernelLengths fit_lengths(const LengthRows& rows, KernelLengths start, int rounds);

}  // namespace tilecast
