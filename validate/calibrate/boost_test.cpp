#include "validate/calibrate/boost.h"

#include <random>

#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr Feature kNames[] = {{"a", "one"}, {"b", "one"}, {"c", "other"}};

/// Rows of three uniform features from 0 to 1 in groups of ten, and their target.
struct Example {
  std::vector<KernelFeatures> kernels;
  BoostRows rows;

  Example(int count, const auto& target) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform;
    rows = {Eigen::MatrixXf(count, 3), Eigen::VectorXf(count), Eigen::VectorXf::Ones(count), {}};
    for (int i = 0; i < count; ++i) {
      KernelFeatures& kernel = kernels.emplace_back();
      for (int f = 0; f < 3; ++f) {
        kernel.values[static_cast<std::size_t>(f)] = uniform(random);
        rows.features(i, f) = static_cast<float>(kernel.values[static_cast<std::size_t>(f)]);
      }
      rows.target[i] =
          static_cast<float>(target(kernel.values[0], kernel.values[1], kernel.values[2]));
      rows.group.push_back(i / 10);
    }
  }

  /// Mean error on other rows of the same function.
  double unseen_error(const Example& other) const {
    const std::vector<FeatureScale> scale = feature_scale(kNames, kernels);
    const std::vector<Tree> trees = boost(rows, scale, 200);
    return (values_of(trees, scale, other.rows.features) - other.rows.target).cwiseAbs().mean();
  }
};

TEST_CASE("A step and products of two and of three features are learned") {
  const auto error = [](const auto& target) {
    return Example(1000, target).unseen_error(Example(1300, target));
  };
  CHECK(error([](double a, double, double) { return a > 0.5 ? 0.1 : -0.1; }) < 0.02);
  CHECK(error([](double a, double b, double) { return 0.4 * (a - 0.5) * (b - 0.5); }) < 0.008);
  CHECK(error([](double a, double b, double c) { return 0.4 * a * b * c; }) < 0.01);
}

TEST_CASE("Thresholds are quantiles, or midpoints of few values") {
  std::vector<KernelFeatures> kernels(100);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].values[0] = static_cast<double>(i);
    kernels[i].values[1] = static_cast<double>(i % 3);
  }
  const std::vector<FeatureScale> scale = feature_scale(kNames, kernels);
  CHECK(scale[0].at.size() == kMostThresholds);
  CHECK(scale[0].at.front() == 4);  // the 1/25 quantile of 0 to 99
  CHECK(scale[0].most == 99);
  CHECK(scale[1].at == std::vector<double>{0.5, 1.5});
  CHECK(scale[2].at.empty());  // always 0
}

TEST_CASE("Rows without a difference are not split") {
  const Example same(100, [](double, double, double) { return 0.0; });
  for (const Tree& tree : boost(same.rows, feature_scale(kNames, same.kernels), 5)) {
    for (const float leaf : tree.leaves) {
      CHECK(leaf == 0);
    }
  }
}

TEST_CASE("Moved leaves follow the rows as far as the ridge lets them") {
  const Example before(600, [](double a, double, double) { return a > 0.5 ? 0.1 : -0.1; });
  const Example after(600, [](double a, double, double) { return a > 0.5 ? 0.2 : -0.1; });
  const std::vector<FeatureScale> scale = feature_scale(kNames, before.kernels);
  const std::vector<Tree> trees = boost(before.rows, scale, 100);
  const auto error = [&](const std::vector<Tree>& of) {
    return (values_of(of, scale, after.rows.features) - after.rows.target).cwiseAbs().mean();
  };
  CHECK(error(trees) == Approx(0.05).margin(0.01));  // half of the rows are off by 0.1
  CHECK(error(with_moved_leaves(trees, after.rows, scale, 100)) < 0.025);
  CHECK(error(with_moved_leaves(trees, after.rows, scale, 1e9)) ==
        Approx(error(trees)).epsilon(1e-3));
}

TEST_CASE("Half of the weight lies below a weighted median") {
  CHECK(weighted_median(Eigen::Vector3f(3, 1, 2), Eigen::Vector3f(1, 1, 1)) == 2);
  CHECK(weighted_median(Eigen::Vector3f(3, 1, 2), Eigen::Vector3f(5, 1, 1)) == 3);
  CHECK(weighted_median({}, {}) == 0);
}

}  // namespace
}  // namespace tilecast
