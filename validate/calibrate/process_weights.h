// Weights of the rows of a Gaussian process (model/learn/gaussian_process.h), and what it says of
// rows that were left out of it.
//
// Where some rows are kept they stand for all: their weights are such that all rows are met best,
// (K + Kn' / noise Kn) w = Kn' / noise y, and each fold is left out of that by itself. Where all
// are, (K + noise) w = y, and one factorization gives all folds.
// Checked by: process_weights_test.cpp.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tilecast {

struct ProcessRows {
  Eigen::MatrixXd points;   // a row each, features in lengths
  Eigen::MatrixXd targets;  // a column for each output, in spreads
  Eigen::VectorXd noise;  // variance of each, in priors; infinite, where all are kept: says nothing
  std::vector<Eigen::Index> kept;
  std::vector<int> fold;  // of each row, from 0; negative, where all are kept: it is in all fits
};

struct ProcessWeights {
  Eigen::MatrixXd weights;   // of the kept rows, for each target
  Eigen::MatrixXd left_out;  // what rows of other folds say of each row that has one
};

ProcessWeights process_weights(const ProcessRows& rows, unsigned threads);

}  // namespace tilecast
