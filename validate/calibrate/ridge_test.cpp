#include "validate/calibrate/ridge.h"

#include <cmath>

#include "tests/catch.h"

namespace tilecast {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLittle = 1e-9;  // a penalty

std::vector<int> one_fold(Eigen::Index rows) {
  return std::vector<int>(static_cast<std::size_t>(rows), 0);
}

/// What a fit says of one row of terms.
double at(const Ridge& ridge, const std::vector<double>& terms) {
  double sum = ridge.constant;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    sum += ridge.weight[k] * (terms[i] - ridge.term_mean[k]);
  }
  return sum;
}

/// x of -2 to 2, `times` times over.
VectorXd even_steps(Eigen::Index times) {
  return VectorXd::NullaryExpr(times * 5,
                               [](Eigen::Index i) { return static_cast<double>(i % 5 - 2); });
}

TEST_CASE("A noiseless plane is found exactly") {
  // y = 1 + 2 a - 3 b; a has most of its rows at one end, so that median and mean differ.
  MatrixXd terms(6, 2);
  terms << 0, 1, 0, -1, 0, 2, 1, 0, 10, 1, 0, 0;
  const VectorXd y = (1 + 2 * terms.col(0).array() - 3 * terms.col(1).array()).matrix();
  const Ridge ridge = robust_ridge(terms, y, VectorXd::Ones(6), one_fold(6), kLittle);
  CHECK(ridge.weight[0] == Approx(2).epsilon(1e-6));
  CHECK(ridge.weight[1] == Approx(-3).epsilon(1e-6));
  CHECK(at(ridge, {4, 5}) == Approx(1 + 8 - 15).epsilon(1e-6));
}

TEST_CASE("A penalty shrinks weights by its share of the terms' squares") {
  // y = x at x = -2 to 2, sum of squares 10. In the first round weights are the rows' own, later
  // ones 0.05 / |residual|; residuals below 0.01 weigh 5. A penalty of 5 * 10 / 1000 shrinks by
  // 1 / 1001, which leaves residuals of 0.002 at most.
  const VectorXd x = even_steps(1);
  const Ridge ridge = robust_ridge(x, x, VectorXd::Ones(5), one_fold(5), 0.05);
  CHECK(ridge.weight[0] == Approx(1000.0 / 1001).epsilon(1e-9));
}

TEST_CASE("What a fold's rows would be without them is what the others' fit says") {
  // Residuals stay below 0.01, so that all weights are equal, and every fold has the same means;
  // a fit of the other two folds alone then says the same.
  VectorXd x = even_steps(3), y(15);
  std::vector<int> folds;
  for (Eigen::Index i = 0; i < 15; ++i) {
    const Eigen::Index fold = i / 5;
    folds.push_back(static_cast<int>(fold));
    y[i] = (0.5 + 0.001 * static_cast<double>(fold)) * x[i];
  }
  const double penalty = 0.1;
  const VectorXd ones = VectorXd::Ones(15);
  const Ridge ridge = robust_ridge(x, y, ones, folds, penalty);
  for (Eigen::Index fold = 0; fold < 3; ++fold) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index i = 0; i < 15; ++i) {
      if (i / 5 != fold) {
        others.push_back(i);
      }
    }
    const Ridge without = robust_ridge(x(others), y(others), ones.head(10), one_fold(10), penalty);
    for (Eigen::Index i = fold * 5; i < fold * 5 + 5; ++i) {
      CHECK(ridge.left_out[i] == Approx(at(without, {x[i]})).margin(1e-12));
    }
  }
  // At x = 2, slopes of 0.5015 without the first and 0.5005 without the last.
  CHECK(ridge.left_out[4] - ridge.left_out[14] == Approx(0.002).epsilon(0.01));
}

TEST_CASE("Rows far off move the answer little") {
  // 20 rows on y = x, one of them 10 too high at x = 2: of squares the slope would be
  // 1 + 2 * 10 / (4 * 10) = 1.5.
  const VectorXd x = even_steps(4);
  VectorXd y = x;
  y[4] += 10;
  const Ridge ridge = robust_ridge(x, y, VectorXd::Ones(20), one_fold(20), kLittle);
  CHECK(ridge.weight[0] == Approx(1).epsilon(0.01));
}

TEST_CASE("Rows of more weight are followed where rows contradict each other") {
  // At x = 1 one row says 0 and one 1; at x = -1 both say -y. Absolute errors follow the heavier.
  VectorXd x(4), y(4), weight(4);
  x << 1, 1, -1, -1;
  y << 0, 1, 0, -1;
  weight << 1, 3, 1, 3;
  CHECK(robust_ridge(x, y, weight, one_fold(4), kLittle).weight[0] > 0.95);
  weight << 3, 1, 3, 1;
  CHECK(robust_ridge(x, y, weight, one_fold(4), kLittle).weight[0] < 0.05);
}

TEST_CASE("A fold without rows is passed over") {
  const VectorXd x = even_steps(1);
  const Ridge ridge = robust_ridge(x, x, VectorXd::Ones(5), {0, 2, 0, 2, 0}, kLittle);
  CHECK(ridge.left_out[1] == Approx(x[1]).epsilon(1e-6));
}

}  // namespace
}  // namespace tilecast
