#include "validate/measure/verifier.h"

#include <bit>
#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr GemmProblem kProblem{
    .shape = {100, 50, 64}, .dtype = ElementType::kFp16, .layout = Layout::kTn};

/// ||reference|| = 100 and max |reference| = 4; the norm may be off by 4 x 2^-11 / sqrt(3) of it,
/// 0.1128.
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

}  // namespace

TEST_CASE("A result inside the bounds is right and states its largest error and their norm") {
  const Verdict verdict = verdict_of(right(), kProblem);
  CHECK(verdict.right());
  CHECK(verdict.max_error == Approx(0.00025));  // 0.001 of 4
  CHECK(verdict.rms_error == Approx(0.001));    // 0.1 of 100
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

TEST_CASE("One wrong element, one unwritten element or one word beside the output is a fault") {
  OutputCheck check = right();
  check.wrong_elements = 1;
  check.first_wrong = 123;  // row 2, column 23 of 50 columns
  CHECK(verdict_of(check, kProblem).fault.find("row 2, column 23") != std::string::npos);
  check = right();
  check.unwritten_elements = 1;
  CHECK_FALSE(verdict_of(check, kProblem).right());
  check = right();
  check.guard_changed = 1;
  CHECK_FALSE(verdict_of(check, kProblem).right());
}

TEST_CASE("All zeros must be answered by all zeros") {
  OutputCheck check = right();
  check.reference_squares = 0;
  check.error_squares = 0;
  CHECK(verdict_of(check, kProblem).right());
  CHECK(verdict_of(check, kProblem).rms_error == 0);
  check.error_squares = 1e-30;
  CHECK_FALSE(verdict_of(check, kProblem).right());
}
