#include "model/gemm/output/steps.h"

#include <cmath>
#include <limits>

#include "model/gemm/output/exact_math.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

/// fp32 math as on the device, where tanh has a relative error of at most 2^-11; applies that
/// maximum error, up or down.
template <int kSign>
struct HostMath {
  using Real = float;
  static constexpr bool kExact = false;
  static Real tanh(Real x) { return std::tanh(x) * (1 + kSign * 0x1p-11F); }
  static Real multiply_add(Real a, Real b, Real c) { return std::fma(a, b, c); }
  static Real least(Real a, Real b) { return std::fmin(a, b); }
};

/// Calls `check` with each one-column activation.
template <class Check>
void each_activation(Check check) {
  for (i32 number = 1; number <= OutputSteps::kCount; ++number) {
    OutputSteps::visit<OutputKind::kActivate>({number}, [&](auto step) {
      if constexpr (step.kColumns == 1) {
        INFO(step.kWord);
        check(step);
      }
    });
  }
}

template <class Step>
double exact(double x) {
  return Step::template apply<ExactMath>(x);
}

}  // namespace

TEST_CASE("Activations have the values of their definitions") {
  // erf(1 / sqrt(2)) = 0.6826894921, tanh(0.79788456 * 1.044715) = 0.6823842, and
  // 1 / (1 + exp(-1)) = 0.7310585786
  CHECK(exact<NoStep>(-1) == -1);
  CHECK(exact<Relu>(-1) == 0);
  CHECK(exact<Relu>(3) == 3);
  CHECK(exact<Gelu>(1) == Approx(0.8413447461).epsilon(1e-9));
  CHECK(exact<Gelu>(-1) == Approx(-0.1586552539).epsilon(1e-9));
  CHECK(exact<GeluTanh>(1) == Approx(0.8411920).epsilon(1e-6));
  CHECK(exact<Silu>(1) == Approx(0.7310585786).epsilon(1e-9));
  CHECK(exact<Silu>(-1) == Approx(-0.2689414214).epsilon(1e-9));
  CHECK(Swiglu::apply<ExactMath>(1, -2) == Approx(-2 * 0.7310585786).epsilon(1e-9));
  CHECK(Geglu::apply<ExactMath>(1, 3) == Approx(3 * 0.8413447461).epsilon(1e-9));
}

TEST_CASE("The two forms of GELU are at most 0.0005 apart") {
  double most = 0;
  for (int i = -8000; i <= 8000; ++i) {
    most = std::fmax(most, std::fabs(exact<Gelu>(i / 1000.0) - exact<GeluTanh>(i / 1000.0)));
  }
  CHECK(most < 5e-4);
  CHECK(most > 4e-4);
}

TEST_CASE("The fp32 error of an activation is within its stated bound") {
  each_activation([](auto step) {
    using Step = decltype(step);
    int wrong = 0;
    for (int i = -30000; i <= 30000; ++i) {
      const double x = i / 1000.0, expected = exact<Step>(x);
      const double bound =
          (Step::kApproximate ? 0x1p-12 * std::fabs(x) + 0x1p-15 : 0) + 0x1p-20 * std::fabs(x);
      for (const float got : {Step::template apply<HostMath<1>>(static_cast<float>(x)),
                              Step::template apply<HostMath<-1>>(static_cast<float>(x))}) {
        wrong += std::fabs(static_cast<double>(got) - expected) <= bound ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("Activations propagate NaN and infinity") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  each_activation([&](auto step) {
    using Step = decltype(step);
    CHECK(std::isnan(exact<Step>(nan)));
    CHECK(exact<Step>(infinity) == infinity);
  });
  CHECK(exact<Relu>(-infinity) == 0);
  CHECK(std::isnan(exact<Gelu>(-infinity)));
  CHECK(std::isnan(exact<Silu>(-infinity)));
}

TEST_CASE("Steps are numbered by position, kind by kind") {
  OutputKind before = OutputKind::kScale;
  for (i32 number = 1; number <= OutputSteps::kCount; ++number) {
    CHECK(OutputSteps::kind_of({number}) >= before);
    CHECK(row_of({number}).kind == OutputSteps::kind_of({number}));
    before = OutputSteps::kind_of({number});
  }
  CHECK(step<ScaleTensor>() == OutputStep{1});
  CHECK(row_of(step<Geglu>()).word == std::string("geglu"));
  CHECK(OutputSteps::columns_of(step<Geglu>()) == 2);
  CHECK(OutputSteps::columns_of({}) == 1);
}
