#include "model/learn/gaussian_process.h"

#include <cmath>

#include "tests/catch.h"

namespace tilecast {
namespace {

// At a distance of 1, r = sqrt(5) and the kernel is (1 + 2.236068 + 5 / 3) exp(-2.236068) =
// 0.523994.
constexpr double kAtOne = 0.523994;

TEST_CASE("Similarity is 1 at zero distance, falls smoothly, and vanishes far away") {
  CHECK(likeness(0) == 1);
  CHECK(likeness(1) == Approx(kAtOne).epsilon(1e-5));
  CHECK(likeness(-1e-6f) == 1);  // rounding can make a zero distance negative
  float before = 1;
  for (float distance = 0.1f; distance < 10; distance += 0.1f) {
    const float now = likeness(distance * distance);
    CHECK(now < before);
    before = now;
  }
  CHECK(likeness(100) < 1e-6f);
}

TEST_CASE("The posterior of two rows equals the one computed by hand") {
  // Rows at 0 and 1 have values 1 and 0 and noise variance 0.25. K + noise has 1.25 on the diagonal
  // and 0.523994 off it; its determinant is 1.287930, so the weights are (1.25, -0.523994) /
  // 1.287930.
  const std::vector<float> rows{0, 1};
  const MeasuredPoints points(1, rows);
  const std::vector<double> weights{1.25 / 1.287930, -kAtOne / 1.287930};
  const std::vector<double> noise(2, 0.25);
  const std::vector<float> at_first = points.likeness_to(std::vector<float>{0});
  CHECK(at_first[0] == 1);
  CHECK(at_first[1] == Approx(kAtOne).epsilon(1e-5));
  // 0.970550 - 0.406850 * 0.523994
  CHECK(expected(at_first, weights) == Approx(0.757363).epsilon(1e-4));
  // (K + noise)^-1 (1, 0.523994) = (0.757363, 0.101713); 1 - 0.757363 - 0.523994 * 0.101713.
  const std::vector<std::size_t> both = MeasuredPoints::nearest(at_first, 2);
  CHECK(both == std::vector<std::size_t>{0, 1});
  CHECK(points.variance_left(at_first, both, noise) == Approx(0.189340).epsilon(1e-4));
  // One row only: 1 - 1 / 1.25.
  CHECK(points.variance_left(at_first, MeasuredPoints::nearest(at_first, 1), noise) ==
        Approx(0.2).epsilon(1e-6));
  CHECK(points.variance_left(at_first, {}, noise) == 1);
}

TEST_CASE("Far from all rows the expected value is 0 and the variance is the prior's") {
  const std::vector<float> rows{0, 0, 1, 0, 0, 2};
  const MeasuredPoints points(2, rows);
  REQUIRE(points.count() == 3);
  const std::vector<double> weights{3, -2, 5}, noise(3, 0.01);
  double before = 0;
  for (const float x : {0.0f, 1.0f, 2.0f, 4.0f, 8.0f, 16.0f}) {
    const std::vector<float> like = points.likeness_to(std::vector<float>{-x, 0});
    const double left = points.variance_left(like, MeasuredPoints::nearest(like, 3), noise);
    CHECK(left > before);
    before = left;
  }
  CHECK(before > 0.999999);
  const std::vector<float> far = points.likeness_to(std::vector<float>{-16, 0});
  CHECK(std::abs(expected(far, weights)) < 1e-9);
}

TEST_CASE("More rows never increase the variance") {
  std::vector<float> rows;
  for (int i = 0; i < 40; ++i) {
    rows.push_back(static_cast<float>(i * 17 % 40) * 0.1f);
    rows.push_back(static_cast<float>(i * 29 % 40) * 0.1f);
  }
  const MeasuredPoints points(2, rows);
  const std::vector<float> like = points.likeness_to(std::vector<float>{1.23f, 2.34f});
  const std::vector<std::size_t> nearest = MeasuredPoints::nearest(like, 40);
  for (std::size_t i = 1; i < nearest.size(); ++i) {
    CHECK(like[nearest[i]] <= like[nearest[i - 1]]);
  }
  const std::vector<double> noise(nearest.size(), 0.09);
  double before = 1;
  for (std::size_t count = 1; count <= nearest.size(); ++count) {
    const double left = points.variance_left(like, std::span(nearest).first(count), noise);
    CHECK(left <= before + 1e-12);
    before = left;
  }
  CHECK(before > 0);
}

TEST_CASE("Repeated rows reduce the variance only to noise / count") {
  // n rows at the point itself with noise variance v leave v / (n + v).
  const std::vector<float> rows{1, 1, 1, 1};
  const MeasuredPoints points(1, rows);
  const std::vector<float> like = points.likeness_to(std::vector<float>{1});
  CHECK(points.variance_left(like, MeasuredPoints::nearest(like, 4),
                             std::vector<double>(4, 0.25)) == Approx(0.25 / 4.25).epsilon(1e-6));
}

TEST_CASE("Among equal rows the less noisy one reduces the variance more") {
  // Precisions add up: 1 / 0.25, 1 / 1 and the prior's 1 leave 1 / 6; the second row alone leaves 1
  // / 2.
  const std::vector<float> rows{1, 1};
  const MeasuredPoints points(1, rows);
  const std::vector<float> like = points.likeness_to(std::vector<float>{1});
  const std::vector<double> noise{0.25, 1};
  CHECK(points.variance_left(like, std::vector<std::size_t>{0, 1}, noise) ==
        Approx(1.0 / 6).epsilon(1e-6));
  CHECK(points.variance_left(like, std::vector<std::size_t>{1}, noise) ==
        Approx(0.5).epsilon(1e-6));
}

}  // namespace
}  // namespace tilecast
