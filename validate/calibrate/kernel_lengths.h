// Fits the length scales of a Gaussian process's features so that the error on held-out problems is
// minimal, because predictions are for new problems. Maximum likelihood would prefer length scales
// that distinguish a row from its near duplicates.
//
// With P the inverse of the rows' covariance and f the rows of a fold, the error of predicting f
// from the other rows is P_ff^-1 (P y)_f. So one inverse gives all folds, and the derivatives with
// respect to every length scale (kernel_lengths.cpp). Optimized with Rprop (steps by the signs of
// the gradient). Checked by: kernel_lengths_test.cpp (derivatives; useless features get long length
// scales).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tilecast {

struct LengthRows {
  Eigen::MatrixXd features;  // one row per point
  Eigen::MatrixXd targets;   // standardized; one column per output
  Eigen::VectorXd weight;    // weight of a row's error
  Eigen::VectorXd noise;     // variance relative to `noise` of the kernel
  std::vector<int> fold;     // fold index, from 0
};

struct KernelLengths {
  Eigen::VectorXd length;  // length scale per feature, in the feature's unit
  double noise;            // standard deviation of a row with noise 1, in units of the targets'
                           // spread
};

/// Leave-one-out loss, which is about |error| for large errors. `gradient`: with respect to log(1 /
/// length), then log(noise).
double left_out_error(const LengthRows& rows, const KernelLengths& at, Eigen::VectorXd& gradient);

KernelLengths fit_lengths(const LengthRows& rows, KernelLengths start, int rounds);

}  // namespace tilecast
