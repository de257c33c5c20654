#include "validate/measure/gemm/verifier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr GemmProblem kProblem{
    .shape = {100, 50, 64}, .dtype = ElementType::kFp16, .layout = Layout::kTn};

/// ||reference|| = 100 and max |reference| = 4; the norm may be off by 4 x 2^-11 / sqrt(3) of it,
/// which is 0.1128.
OutputCheck right() {
  return {.error_squares = 0.1 * 0.1,
          .reference_squares = 1e4,
          .largest_error = std::bit_cast<u32>(0.001f),
          .largest_reference = std::bit_cast<u32>(4.0f),
          .wrong_elements = 0,
          .unwritten_elements = 0,
          .first_wrong = ~0ull,
          .guard_changed = 0};
}

float to_e4m3(float value) {
  constexpr int kMantissaBits = 3, kLeastExponent = -6;
  const int exponent = std::max(value == 0 ? kLeastExponent : std::ilogb(value), kLeastExponent);
  const float unit = std::ldexp(1.0f, exponent - kMantissaBits);
  return std::nearbyint(value / unit) * unit;
}

/// Rounds a term towards zero, to the bits that an fp8 wgmma keeps if the largest term has this
/// exponent.
double kept(double term, int exponent) {
  const double unit = std::ldexp(1.0, exponent - 13);
  return std::trunc(term / unit) * unit;
}

struct LongSum {
  double right, fast;
};

/// A sum of K products of normal numbers in e4m3 that ends at about `deviations` standard
/// deviations of such sums, computed in full precision and as accumulated by wgmmas of 32 K. The
/// factors of a large sum are slightly correlated, all along K.
LongSum sum_of(i64 k, double deviations, std::mt19937& random) {
  constexpr i64 kInstructionK = 32;
  std::normal_distribution<float> normal;
  const float correlation = static_cast<float>(deviations / std::sqrt(static_cast<double>(k)));
  LongSum sum{};
  for (i64 from = 0; from < k; from += kInstructionK) {
    std::vector<double> terms{sum.fast};
    for (i64 i = from; i < std::min(k, from + kInstructionK); ++i) {
      const float a = normal(random), b = normal(random) + correlation * a;
      terms.push_back(static_cast<double>(to_e4m3(a) * to_e4m3(b)));
      sum.right += terms.back();
    }
    const auto less = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double largest = *std::ranges::max_element(terms, less);
    if (largest == 0) {
      continue;  // all terms are zero, including the sum so far, so nothing is lost
    }
    const int exponent = std::ilogb(largest);
    sum.fast = 0;
    for (const double term : terms) {
      sum.fast += kept(term, exponent);
    }
    sum.fast = sum.fast == 0 ? 0 : kept(sum.fast, std::ilogb(sum.fast));
  }
  return sum;
}

}  // namespace

TEST_CASE("Emulated wgmma accumulation loses the precision observed on the GPU") {
  std::mt19937 random(2);
  double errors = 0, squares = 0;
  for (int i = 0; i < 200; ++i) {
    const LongSum sum = sum_of(16384, 0, random);
    errors += (sum.fast - sum.right) * (sum.fast - sum.right);
    squares += sum.right * sum.right;
  }
  // Measured on an H200 (validate/data/h200_sxm/fp8).
  CHECK(std::sqrt(errors / squares) == Approx(3.1e-3).epsilon(0.15));
}

TEST_CASE("The loss of fp8 tensor cores in the largest sums is within the bound of an element") {
  std::mt19937 random(1);
  // C is in fp32, so that rounding of C hides no error. silu keeps 0.7 of the accumulators' root
  // mean square, and leaves the largest elements unchanged: in 624x1160x2800 an element at 4.3
  // deviations was off by 0.92 on an H100; the bound from the root mean square alone is 0.77.
  int beyond_rms = 0;
  for (const i64 k : {512, 2800, 16384}) {
    GemmProblem problem{.shape = {624, 1160, k},
                        .dtype = ElementType::kE4m3,
                        .layout = Layout::kTn,
                        .c = ElementType::kFp32};
    problem.epilogue.add(step<Silu>());
    const ElementBound bound =
        element_bound(problem, std::sqrt(static_cast<double>(k)) / std::sqrt(2.0));
    const int sums = static_cast<int>(4'000'000 / k);
    for (int i = 0; i < sums; ++i) {
      const LongSum sum = sum_of(k, 2 + i % 4, random);
      const double error = std::abs(sum.fast - sum.right);
      CHECK(error <= bound.relative * std::abs(sum.right) + bound.absolute);
      beyond_rms += error > bound.absolute ? 1 : 0;
    }
    // A skipped K block is detected.
    const auto deviation = static_cast<float>(std::sqrt(static_cast<double>(k)));
    CHECK(bound.relative * deviation + bound.absolute < std::sqrt(128.0f));
  }
  CHECK(beyond_rms > 0);
}

TEST_CASE("With promotion the allowed error is a K block's, for any K") {
  GemmProblem problem{.shape = {624, 1160, 512},
                      .dtype = ElementType::kE4m3,
                      .layout = Layout::kTn,
                      .c = ElementType::kFp32,
                      .accumulate = Accumulate::kExact};
  const ElementBound of_short = element_bound(problem, 1);
  problem.shape.k = 65536;
  CHECK(element_bound(problem, 1).relative == of_short.relative);
  CHECK(element_bound(problem, 1).absolute == of_short.absolute);
  CHECK(of_short.relative == Approx(std::ldexp(1.0, -12)).epsilon(1e-3));
}

TEST_CASE("Rounded partial sums widen both bounds, a single sum does not") {
  const GemmProblem problem{
      .shape = {837, 2365, 11209}, .dtype = ElementType::kBf16, .layout = Layout::kTn};
  const ElementBound once = element_bound(problem, 1);
  CHECK(element_bound(problem, 1, 1).absolute == once.absolute);
  // 13 parts: 0.01 + 5.5 * sqrt(13) / 256 = 0.0875. On an H200, 0.060 beyond 2 u |C| was measured.
  CHECK(element_bound(problem, 1, 13).absolute == Approx(0.0875).epsilon(1e-2));
  CHECK(element_bound(problem, 1, 13).relative == once.relative);
  // Bound of the norm: 4 u / sqrt(3) = 0.00902; with 13 parts (4 + sqrt(12)) u / sqrt(3) = 0.01683.
  OutputCheck check = right();
  check.reference_squares = 1;
  check.error_squares = 0.012 * 0.012;
  CHECK(!verdict_of(check, problem).right());
  CHECK(verdict_of(check, problem, 13).right());
}

TEST_CASE("A result inside the bounds is right, with its largest error and error norm") {
  const Verdict verdict = verdict_of(right(), kProblem);
  CHECK(verdict.right());
  CHECK(*verdict.max_error == Approx(0.00025));  // 0.001 of 4
  CHECK(verdict.rms_error == Approx(0.001));     // 0.1 of 100
}

TEST_CASE("The error norm is allowed four roundings and not more") {
  OutputCheck check = right();
  check.error_squares = 0.1127 * 0.1127;
  CHECK(verdict_of(check, kProblem).right());
  check.error_squares = 0.1129 * 0.1129;
  CHECK_FALSE(verdict_of(check, kProblem).right());
}

TEST_CASE("NaN in the norm never passes") {
  OutputCheck check = right();
  check.error_squares = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(verdict_of(check, kProblem).right());
}

TEST_CASE("One wrong element, one unwritten element or one word outside the output is a fault") {
  OutputCheck check = right();
  check.wrong_elements = 1;
  check.first_wrong = 123;  // row 2, column 23 of 50 columns
  CHECK(contains(verdict_of(check, kProblem).fault, "row 2, column 23"));
  check = right();
  check.unwritten_elements = 1;
  CHECK_FALSE(verdict_of(check, kProblem).right());
  check = right();
  check.guard_changed = 1;
  CHECK_FALSE(verdict_of(check, kProblem).right());
}

TEST_CASE("A zero reference requires an all-zero result") {
  OutputCheck check = right();
  check.reference_squares = 0;
  check.error_squares = 0;
  CHECK(verdict_of(check, kProblem).right());
  CHECK(verdict_of(check, kProblem).rms_error == 0);
  check.error_squares = 1e-30;
  CHECK_FALSE(verdict_of(check, kProblem).right());
}
