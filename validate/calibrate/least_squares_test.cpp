#include "validate/calibrate/least_squares.h"

#include <cmath>

#include "tests/catch.h"

namespace tilecast {
namespace {

using Eigen::VectorXd;

constexpr double kWide = 1e3, kHuge = 1e6;  // a prior and a scale too wide to have an effect

VectorXd of(std::initializer_list<double> values) {
  VectorXd vector(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), vector.begin());
  return vector;
}

Priors unbounded(std::initializer_list<double> width) {
  const auto count = static_cast<Eigen::Index>(width.size());
  return {of(width), VectorXd::Constant(count, -kHuge), VectorXd::Constant(count, kHuge)};
}

/// Residuals of y = slope * x + offset, or y = slope * x without an offset.
Residuals line(const VectorXd& x, const VectorXd& y) {
  return [x, y](const VectorXd& p, VectorXd& out) {
    out = y - p[0] * x - VectorXd::Constant(x.size(), p.size() > 1 ? p[1] : 0.0);
  };
}

TEST_CASE("The known minimum of a nonlinear problem is found") {
  // y = exp(a x) + b at a = 0.7, b = -0.3.
  const VectorXd x = of({-1, -0.5, 0, 0.5, 1, 1.5});
  const VectorXd y = (0.7 * x).array().exp() - 0.3;
  const Residuals curve = [&](const VectorXd& p, VectorXd& out) {
    out = y.array() - (p[0] * x).array().exp() - p[1];
  };
  const LeastSquares fit =
      robust_least_squares(curve, VectorXd::Ones(6), unbounded({kWide, kWide}), 0.1);
  CHECK(fit.parameters[0] == Approx(0.7).epsilon(1e-3));
  CHECK(fit.parameters[1] == Approx(-0.3).epsilon(1e-3));
  CHECK(fit.evaluations > 0);
}

TEST_CASE("A prior pulls towards 0 unless the rows determine the parameter") {
  // One row y = 3 measures p. At scale 10 the loss is nearly quadratic: (3 - p)^2 / 100 + p^2 / w^2
  // is minimal at p = 3 / (1 + 100 / w^2), which is 1.5 at w = 10. Nothing depends on the other
  // parameter.
  const Residuals first = [](const VectorXd& p, VectorXd& out) { out[0] = 0.01 * (3 - p[0]); };
  const LeastSquares fit = robust_least_squares(first, of({1}), unbounded({10, 0.5}), 0.1);
  CHECK(fit.parameters[0] == Approx(1.5).epsilon(0.01));
  CHECK(std::abs(fit.parameters[1]) < 1e-9);
  CHECK(fit.standard_error[1] == Approx(0.5));  // the width of the prior
  CHECK(std::abs(fit.correlation(0, 1)) < 1e-9);
}

TEST_CASE("Large residuals pull with constant force, small ones in proportion") {
  // Nine rows are 0, one is 10. The least-squares minimum is their mean, 1. With soft L1 at scale
  // 0.1, nine slopes p / scale^2 balance one of 1 / scale: p = scale / 9 = 0.0111.
  VectorXd y = VectorXd::Zero(10);
  y[9] = 10;
  const auto answer = [&](double scale) {
    return robust_least_squares(line(VectorXd::Ones(10), y), VectorXd::Ones(10), unbounded({kHuge}),
                                scale)
        .parameters[0];
  };
  CHECK(answer(1000) == Approx(1).epsilon(1e-3));
  CHECK(answer(0.1) == Approx(0.1 / 9).epsilon(0.02));
}

TEST_CASE("A row of weight three counts as three rows") {
  const VectorXd y = of({0, 1});
  const LeastSquares fit =
      robust_least_squares(line(VectorXd::Ones(2), y), of({1, 3}), unbounded({kHuge}), 100);
  CHECK(fit.parameters[0] == Approx(0.75).epsilon(1e-3));
}

TEST_CASE("A parameter at its bound counts as determined, and the others compensate") {
  // y = 2 at x = 1 and 3 at x = 2 give slope 1 and offset 1. With the slope at most 0.4 the offset
  // is 2.5 - 0.4 * 1.5 = 1.9.
  Priors priors = unbounded({kWide, kWide});
  priors.most[0] = 0.4;
  const LeastSquares fit =
      robust_least_squares(line(of({1, 2}), of({2, 3})), VectorXd::Ones(2), priors, 10);
  CHECK(fit.parameters[0] == 0.4);
  CHECK(fit.parameters[1] == Approx(1.9).epsilon(0.01));
  // The inverse of the products (n, x, x^2 = 2, 3, 5) is (2, -3; -3, 5) / 1.
  CHECK(fit.standard_error[0] == Approx(10 * std::sqrt(2)).epsilon(0.01));
}

TEST_CASE("Standard errors and correlation of a line match the closed form") {
  // y = 0 at x = 1, 2, 3, 6: there is no residual, and each row is known to the scale of 0.2. With
  // n = 4, sum x = 12, sum x^2 = 50 the inverse of the products is (4, -12; -12, 50) / 56.
  const LeastSquares fit = robust_least_squares(line(of({1, 2, 3, 6}), VectorXd::Zero(4)),
                                                VectorXd::Ones(4), unbounded({kHuge, kHuge}), 0.2);
  CHECK(fit.standard_error[0] == Approx(0.2 * std::sqrt(4.0 / 56)).epsilon(1e-3));
  CHECK(fit.standard_error[1] == Approx(0.2 * std::sqrt(50.0 / 56)).epsilon(1e-3));
  CHECK(fit.correlation(0, 1) == Approx(-12 / std::sqrt(4.0 * 50)).epsilon(1e-3));
  CHECK(fit.correlation(0, 0) == Approx(1));
}

TEST_CASE("Rows that disagree by more than the scale widen the standard error, but not the prior") {
  // The rows are +-2 scales around 0. With soft L1, half the square is sqrt(1 + 2^2) - 1 = 1.236,
  // and the slope 2 / sqrt(5) / sqrt(2.472) = 0.5689. 100 rows have a spread of 2.472 * 100 / 99
  // and an information of 100 * 0.5689^2 / spread / scale^2.
  const double scale = 0.05;
  VectorXd y(100);
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    y[i] = i % 2 == 0 ? 2 * scale : -2 * scale;
  }
  const VectorXd ones = VectorXd::Ones(100);
  const double spread = 2 * (std::sqrt(5.0) - 1) * 100 / 99;
  const double slope = 2 / std::sqrt(5.0) / std::sqrt(2 * (std::sqrt(5.0) - 1));
  CHECK(robust_least_squares(line(ones, y), ones, unbounded({kHuge}), scale).standard_error[0] ==
        Approx(scale / slope * std::sqrt(spread / 100)).epsilon(0.01));
  CHECK(robust_least_squares(line(ones, y), ones, unbounded({1e-4}), scale).standard_error[0] ==
        Approx(1e-4).epsilon(0.01));
}

}  // namespace
}  // namespace tilecast
