// Weighted least squares with a robust loss and a Gaussian prior on every parameter, by Eigen's
// Levenberg-Marquardt with numerical derivatives.
//
// Parameters are logarithms of factors on their priors, so 0 is the prior and all stay positive. A
// residual r counts as the soft L1 loss of r / scale: quadratic if small, linear if large.
// Residuals are evaluated within the bounds only; a prior keeps the search from going far beyond.
// Standard errors are from the curvature at the solution and the spread of residuals. They treat
// rows as independent, which rows of one problem are not, so they are lower bounds.
//
// Checked by: least_squares_test.cpp.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace tilecast {

/// Residuals as a function of parameters, always the same number. Not called concurrently.
using Residuals = std::function<void(const Eigen::VectorXd& parameters, Eigen::VectorXd& out)>;

/// One entry per parameter.
struct Priors {
  Eigen::VectorXd width;        // standard deviation around 0
  Eigen::VectorXd least, most;  // bounds, with 0 between them
};

struct LeastSquares {
  Eigen::VectorXd parameters;
  Eigen::VectorXd standard_error;  // per parameter; of its logarithm
  Eigen::MatrixXd correlation;
  int evaluations = 0;
};

/// `weights`: one per residual.
LeastSquares robust_least_squares(const Residuals& residuals, const Eigen::VectorXd& weights,
                                  const Priors& priors, double scale);

}  // namespace tilecast
