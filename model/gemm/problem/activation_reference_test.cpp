#include "model/gemm/problem/activation_reference.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Activations have the values of their definitions") {
  // erf(1 / sqrt(2)) = 0.6826894921, tanh(0.79788456 * 1.044715) = 0.6823842, and
  // 1 / (1 + exp(-1)) = 0.7310585786
  CHECK(activated(Activation::kNone, -1) == -1);
  CHECK(activated(Activation::kRelu, -1) == 0);
  CHECK(activated(Activation::kRelu, 3) == 3);
  CHECK(activated(Activation::kGelu, 1) == Approx(0.8413447461).epsilon(1e-9));
  CHECK(activated(Activation::kGelu, -1) == Approx(-0.1586552539).epsilon(1e-9));
  CHECK(activated(Activation::kGeluTanh, 1) == Approx(0.8411920).epsilon(1e-6));
  CHECK(activated(Activation::kSilu, 1) == Approx(0.7310585786).epsilon(1e-9));
  CHECK(activated(Activation::kSilu, -1) == Approx(-0.2689414214).epsilon(1e-9));
}

TEST_CASE("The two forms of GELU are at most 0.0005 apart") {
  double most = 0;
  for (int i = -8000; i <= 8000; ++i) {
    const double x = i / 1000.0;
    most = std::fmax(
        most, std::fabs(activated(Activation::kGelu, x) - activated(Activation::kGeluTanh, x)));
  }
  CHECK(most < 5e-4);
  CHECK(most > 4e-4);
}

TEST_CASE("NaN goes through every activation, and so does infinity") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu,
                                      Activation::kGeluTanh, Activation::kSilu}) {
    CHECK(std::isnan(activated(activation, nan)));
    CHECK(activated(activation, infinity) == infinity);
  }
  CHECK(activated(Activation::kRelu, -infinity) == 0);
  CHECK(std::isnan(activated(Activation::kGelu, -infinity)));
  CHECK(std::isnan(activated(Activation::kSilu, -infinity)));
}
