#include "validate/calibrate/kernel_lengths.h"

#include <cmath>
#include <random>

#include "tests/catch.h"

namespace tilecast {
namespace {

/// 12 folds of `each` rows whose targets depend on the first two features and not on the third.
LengthRows example(Eigen::Index each) {
  constexpr int kFolds = 12;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Eigen::Index count = each * kFolds;
  LengthRows rows{.features = Eigen::MatrixXd(count, 3),
                  .targets = Eigen::MatrixXd(count, 2),
                  .weight = Eigen::VectorXd::Ones(count),
                  .noise = Eigen::VectorXd::Ones(count),
                  .fold = {}};
  for (Eigen::Index i = 0; i < count; ++i) {
    rows.features.row(i) << normal(random), 100 * normal(random), normal(random);
    rows.targets(i, 0) = std::sin(2 * rows.features(i, 0)) + 0.05 * normal(random);
    rows.targets(i, 1) = rows.features(i, 1) / 100 + 0.05 * normal(random);
    rows.fold.push_back(static_cast<int>(i % kFolds));
    rows.weight[i] = i % 3 == 0 ? 3 : 1;
    rows.noise[i] = i % 2 == 0 ? 2 : 1;
  }
  return rows;
}

TEST_CASE("The gradient is the derivative of the held-out error") {
  const LengthRows rows = example(3);
  const KernelLengths at{Eigen::Vector3d(1.5, 250, 4), 0.4};
  Eigen::VectorXd gradient, ignored;
  left_out_error(rows, at, gradient);
  constexpr double kStep = 1e-5;
  for (Eigen::Index d = 0; d < 4; ++d) {
    const auto moved = [&](double by) {  // moves the logarithm of 1 / length, or that of the noise
      KernelLengths there = at;
      (d < 3 ? there.length[d] : there.noise) *= std::exp(d < 3 ? -by : by);
      return left_out_error(rows, there, ignored);
    };
    CHECK(gradient[d] == Approx((moved(kStep) - moved(-kStep)) / (2 * kStep)).epsilon(1e-4));
  }
}

TEST_CASE("Informative features get short lengths, an uninformative one a long length") {
  const LengthRows rows = example(15);
  const KernelLengths start{Eigen::Vector3d(8, 800, 8), 0.5};
  const KernelLengths fit = fit_lengths(rows, start, 40);
  CHECK(fit.length[0] < 3);     // length scale for a sine with a half-wave of 1.6
  CHECK(fit.length[1] < 1000);  // length scale for a line over a spread of 100
  CHECK(fit.length[2] > 20);
  Eigen::VectorXd gradient;
  CHECK(left_out_error(rows, fit, gradient) < 0.5 * left_out_error(rows, start, gradient));
}

}  // namespace
}  // namespace tilecast
