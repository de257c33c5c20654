#include "validate/compare/statistics.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("A quantile interpolates linearly between sorted values") {
  // Sorted 10 20 30 40 50: position 4 * 0.9 = 3.6, so 40 + 0.6 * 10 = 46.
  CHECK(quantile({50, 10, 40, 20, 30}, 0.9) == Approx(46));
  CHECK(quantile({50, 10, 40, 20, 30}, 0) == 10);
  CHECK(quantile({50, 10, 40, 20, 30}, 1) == 50);
  CHECK(median({4, 1, 3, 2}) == Approx(2.5));
  CHECK(quantile({7}, 0.9) == 7);
}

TEST_CASE("The geometric mean is the n-th root of the product") {
  CHECK(geomean({1, 4, 16}) == Approx(4));  // 64^(1/3)
  CHECK(geomean({0.5, 2}) == Approx(1));
}

TEST_CASE("Tau counts concordant minus discordant pairs") {
  CHECK(*kendall_tau({1, 2, 3, 4}, {10, 20, 30, 40}) == Approx(1));
  CHECK(*kendall_tau({1, 2, 3, 4}, {4, 3, 2, 1}) == Approx(-1));
  // One pair of six is swapped: (5 - 1) / 6.
  CHECK(*kendall_tau({1, 2, 3, 4}, {1, 3, 2, 4}) == Approx(4.0 / 6));
}

TEST_CASE("Tau-b omits tied pairs from both factors of its denominator") {
  // Pairs (12)(13)(14)(23)(24)(34): x ties in (23), y ties in (12).
  // Untied in both: (13)+ (14)+ (24)+ (34)+ = 4; untied in x: 5, in y: 5: 4 / sqrt(25).
  CHECK(*kendall_tau({1, 2, 2, 3}, {1, 1, 2, 3}) == Approx(0.8));
  // y = 5 5 7: untied in y: 2, in x: 3; both concordant: 2 / sqrt(6).
  CHECK(*kendall_tau({1, 2, 3}, {5, 5, 7}) == Approx(0.8164966));
}

TEST_CASE("Equal measurements give no correlation, equal predictions give zero") {
  CHECK_FALSE(kendall_tau({2, 2, 2}, {1, 2, 3}).has_value());
  CHECK_FALSE(spearman_rho({2, 2, 2}, {1, 2, 3}).has_value());
  CHECK(*kendall_tau({1, 2, 3}, {2, 2, 2}) == 0);
  CHECK(*spearman_rho({1, 2, 3}, {2, 2, 2}) == 0);
  CHECK_FALSE(kendall_tau({1}, {1}).has_value());
  CHECK_FALSE(spearman_rho({}, {}).has_value());
}

TEST_CASE("Rho is the correlation of ranks, and penalizes a small swap less than tau") {
  // Ranks 1 2 3 4 and 1 3 2 4: 1 - 6 * (0 + 1 + 1 + 0) / (4 * 15) = 0.8.
  CHECK(*spearman_rho({10, 20, 30, 40}, {1, 9, 2, 99}) == Approx(0.8));
  // Ranks 1 2.5 2.5 4 and 1.5 1.5 3 4 about 2.5: products 1.5 + 0 + 0 + 2.25 = 3.75;
  // squares 4.5 and 4.5: 3.75 / 4.5.
  CHECK(*spearman_rho({1, 2, 2, 3}, {1, 1, 2, 3}) == Approx(3.75 / 4.5));
}

TEST_CASE("Error figures use absolute errors, except for the signed bias") {
  const auto figures = error_figures({0.1, -0.1, 0.2, -0.4, 0.0});
  REQUIRE(figures.has_value());
  CHECK(figures->points == 5);
  CHECK(figures->mape == Approx(0.16));   // 0.8 / 5
  CHECK(figures->median == Approx(0.1));  // sorted 0 0.1 0.1 0.2 0.4
  CHECK(figures->p90 == Approx(0.32));    // 0.2 + 0.6 * 0.2
  CHECK(figures->bias == Approx(-0.04));  // -0.2 / 5
  CHECK_FALSE(error_figures({}).has_value());
}

TEST_CASE("Ratio figures are the geometric mean, 10th percentile and worst") {
  const auto figures = ratio_figures({1, 0.25});
  REQUIRE(figures.has_value());
  CHECK(figures->groups == 2);
  CHECK(figures->geomean == Approx(0.5));
  CHECK(figures->p10 == Approx(0.325));  // 0.25 + 0.1 * 0.75
  CHECK(figures->min == 0.25);
  CHECK_FALSE(ratio_figures({}).has_value());
}

}  // namespace
}  // namespace tilecast
