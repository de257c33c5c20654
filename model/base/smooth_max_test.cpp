#include "model/base/smooth_max.h"

#include <cmath>

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A smooth maximum is the P-th root of summed powers, and at least the maximum") {
  const auto powers = [](double p, double a, double b, double c) {
    return std::pow(std::pow(a, p) + std::pow(b, p) + std::pow(c, p), 1 / p);
  };
  CHECK(smooth_max<3>({Cycles{3}, Cycles{4}, Cycles{5}}).value == Approx(powers(3, 3, 4, 5)));
  CHECK(smooth_max<8>({Cycles{3}, Cycles{4}, Cycles{5}}).value == Approx(powers(8, 3, 4, 5)));
  CHECK(smooth_max<8>({Seconds{1e-6}, Seconds{1e-6}}).value == Approx(1e-6 * std::pow(2, 0.125)));
  CHECK(smooth_max<3>({Cycles{7}, Cycles{}}).value == 7);
  CHECK(smooth_max<3>({Cycles{}, Cycles{}}).value == 0);
}
