#include "validate/calibrate/least_squares.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <unsupported/Eigen/LevenbergMarquardt>

#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr double kStep = 1e-3;  // step for numerical derivatives

/// Its square is twice the soft L1 loss.
double softened(double r) { return std::copysign(std::sqrt(2 * (std::sqrt(1 + r * r) - 1)), r); }

/// The rows of the data come first, then one row for each parameter's prior.
struct Problem : Eigen::DenseFunctor<double> {
  Problem(const Residuals& given, const Eigen::VectorXd& weights, const Priors& of_parameters,
          double residual_scale)
      : DenseFunctor(static_cast<int>(of_parameters.width.size()),
                     static_cast<int>(weights.size() + of_parameters.width.size())),
        residuals(given),
        weight_roots(weights.cwiseSqrt()),
        priors(of_parameters),
        scale(residual_scale),
        raw(weights.size()) {}

  Eigen::VectorXd bounded(const Eigen::VectorXd& x) const {
    return x.cwiseMax(priors.least).cwiseMin(priors.most);
  }

  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& out) {
    ++evaluations;
    residuals(bounded(x), raw);
    for (Eigen::Index i = 0; i < raw.size(); ++i) {
      out[i] = weight_roots[i] * softened(raw[i] / scale);
    }
    out.tail(x.size()) = x.cwiseQuotient(priors.width);
    return 0;
  }

  int df(const Eigen::VectorXd& x, Eigen::MatrixXd& jacobian) {
    const Eigen::VectorXd at = bounded(x);
    Eigen::VectorXd here(values()), there(values()), moved = at;
    operator()(at, here);
    for (Eigen::Index p = 0; p < x.size(); ++p) {
      const double step = at[p] + kStep > priors.most[p] ? -kStep : kStep;
      moved[p] = at[p] + step;
      operator()(moved, there);
      jacobian.col(p) = (there - here) / step;
      moved[p] = at[p];
      const double uphill = jacobian.col(p).dot(here);
      const bool at_bound =
          (at[p] >= priors.most[p] && uphill < 0) || (at[p] <= priors.least[p] && uphill > 0);
      if (searching && at_bound) {
        jacobian.col(p).setZero();  // kept at its bound while the others are fitted
      }
    }
    return 0;
  }

  const Residuals& residuals;
  Eigen::VectorXd weight_roots;
  const Priors& priors;
  double scale;
  Eigen::VectorXd raw;
  int evaluations = 0;
  bool searching = true;
};

}  // namespace

LeastSquares robust_least_squares(const Residuals& residuals, const Eigen::VectorXd& weights,
                                  const Priors& priors, double scale) {
  constexpr double kSettled = 1e-5;  // relative change of parameters or sum
  constexpr int kMostEvaluations = 40;
  Problem problem(residuals, weights, priors, scale);
  LeastSquares fit;
  fit.parameters = Eigen::VectorXd::Zero(priors.width.size());
  Eigen::LevenbergMarquardt<Problem> search(problem);
  search.setXtol(kSettled);
  search.setFtol(kSettled);
  search.setMaxfev(kMostEvaluations);
  const auto status = search.minimize(fit.parameters);
  TILECAST_ASSERT(status != Eigen::LevenbergMarquardtSpace::ImproperInputParameters);
  fit.parameters = problem.bounded(fit.parameters);
  problem.searching = false;

  Eigen::MatrixXd jacobian(problem.values(), problem.inputs());
  problem.df(fit.parameters, jacobian);
  Eigen::VectorXd at(problem.values());
  problem(fit.parameters, at);
  const Eigen::Index rows = weights.size();
  const double freedom = std::max(1.0, static_cast<double>(rows - priors.width.size()));
  const double spread = std::max(1.0, at.head(rows).squaredNorm() / freedom);
  // The prior's width does not depend on the rows' spread.
  const Eigen::MatrixXd data = jacobian.topRows(rows).transpose() * jacobian.topRows(rows) / spread;
  const Eigen::MatrixXd prior = priors.width.cwiseAbs2().cwiseInverse().asDiagonal();
  const Eigen::MatrixXd covariance =
      (data + prior).ldlt().solve(Eigen::MatrixXd::Identity(data.rows(), data.cols()));
  fit.standard_error = covariance.diagonal().cwiseSqrt();
  fit.correlation = fit.standard_error.cwiseInverse().asDiagonal() * covariance *
                    fit.standard_error.cwiseInverse().asDiagonal();
  fit.evaluations = problem.evaluations;
  return fit;
}

}  // namespace tilecast
