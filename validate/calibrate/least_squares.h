// Weighted least squares with a robust loss and a Gaussian prior on every parameter, by Eigen's
// Levenberg-Marquardt with numerical derivatives.
//
// Parameters are logarithms of factors on their priors, so 0 is the prior and all stay positive. A
// residual r counts as the soft L1 loss of r / scale: a square for small ones, linear for large.
// Residuals are asked for within the bounds only; a prior keeps the search from going far beyond.
// Standard errors are the curvature's at the answer, times the residuals' spread; they take rows
// as independent, which those of one problem are not, so they are lower bounds.
//
// Checked by: least_squares_test.cpp.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace tilecast {

/// Residuals for parameters; always as many. May be called from one thread at a time.
using Residuals = std::function<void(const Eigen::VectorXd& parameters, Eigen::VectorXd& out)>;

/// Of each parameter.
struct Priors {
  Eigen::VectorXd width;        // one standard deviation about 0
  Eigen::VectorXd least, most;  // bounds, 0 within
};

struct LeastSquares {
  Eigen::VectorXd parameters;
  Eigen::VectorXd standard_error;  // of each, in the same logarithms
  Eigen::MatrixXd correlation;
  int evaluations = 0;
};

/// `weights`: of each residual.
LeastSquares robust_least_squares(const Residuals& residuals, const Eigen::VectorXd& weights,
                                  const Priors& priors, double scale);

}  // namespace tilecast
