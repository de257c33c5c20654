// Weighted least squares with a robust loss and a Gaussian prior on every parameter, by Eigen's
// Levenberg-Marquardt with numerical derivatives.
//
// Parameters are logarithms of factors on their priors, so 0 is the prior and all values stay
// positive. A residual r counts as the soft L1 loss of r / scale: quadratic if small, linear if
// large. Residuals are evaluated only within the bounds; a prior keeps the search from going far
// beyond them. Standard errors follow from the curvature at the solution and the spread of
// residuals. They treat rows as independent; rows of one problem are not, so the standard errors
// are lower bounds.
//
// Checked by: least_squares_test.cpp.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace tilecast {

/// Computes the residuals for the parameters; their number is always the same. Not called
/// concurrently.
using Residuals = std::function<void(const Eigen::VectorXd& parameters, Eigen::VectorXd& out)>;

/// Each vector has one entry per parameter.
struct Priors {
  Eigen::VectorXd width;        // standard deviation around 0
  Eigen::VectorXd least, most;  // bounds, with 0 between them
};

struct LeastSquares {
  Eigen::VectorXd parameters;
  Eigen::VectorXd standard_error;  // one entry per parameter; standard error of its logarithm
  Eigen::MatrixXd correlation;
  int evaluations = 0;
};

/// `weights`: one per residual.
LeastSquares robust_least_squares(const Residuals& residuals, const Eigen::VectorXd& weights,
                                  const Priors& priors, double scale);

}  // namespace tilecast
