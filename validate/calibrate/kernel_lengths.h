// The lengths of a Gaussian process's features: those by which rows of problems that were left out
// are expected best, which is what predictions of new problems need; the likelihood of the rows
// themselves would prefer lengths that tell one row from its twin.
//
// With P the inverse of the rows' covariance, and f the rows of a fold, what the others expect of
// them is off by P_ff^-1 (P y)_f, so one inverse gives all folds, and its derivatives by every
// length (kernel_lengths.cpp). Steps by the gradient's signs (Rprop).
// Checked by: kernel_lengths_test.cpp (derivatives; features that say nothing become long).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tilecast {

struct LengthRows {
  Eigen::MatrixXd features;  // a row each
  Eigen::MatrixXd targets;   // of spread 1; a column for each output
  Eigen::VectorXd weight;    // how much being off counts
  Eigen::VectorXd noise;     // variance, relative to each other
  std::vector<int> fold;     // numbered from 0
};

struct KernelLengths {
  Eigen::VectorXd length;  // a feature's, in its own unit
  double noise;            // standard deviation of a row with noise 1, over the targets' spread
};

/// What left-out rows are off, about |off| where that is large; `gradient` by the logarithms of one
/// over each length, then of the noise.
double left_out_error(const LengthRows& rows, const KernelLengths& at, Eigen::VectorXd& gradient);

KernelLengths fit_lengths(const LengthRows& rows, KernelLengths start, int rounds);

}  // namespace tilecast
