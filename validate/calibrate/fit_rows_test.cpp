#include "validate/calibrate/fit_rows.h"

#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/h200.h"
#include "validate/calibrate/example_rows.h"

namespace tilecast {
namespace {

/// Burst rows of `configs` configurations of one problem.
std::vector<Measurement> rows_of_one(std::size_t configs) {
  std::vector<Measurement> rows = example_gemm_rows(h200(), 0, 1, configs, as_predicted);
  for (Measurement& row : rows) {
    row.point.regime = Regime::kBurst;
  }
  return rows;
}

TEST_CASE("Rows near the best of their problem and regime count three times") {
  std::vector<Measurement> rows = rows_of_one(6);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].time->median = Seconds{1e-4 * (i == 0 ? 1 : i == 1 ? 1.19 : 1.21)};
  }
  rows[3].point.regime = Regime::kSustained;  // the only row of that regime, hence its best
  std::get<GemmProblem>(rows[4].point.problem).dtype = ElementType::kBf16;
  std::get<GemmProblem>(rows[5].point.problem).shape.n *= 2;
  const FitRows fit = fit_rows(h200(), {file_of(rows)}, 1);
  REQUIRE(fit.rows.size() == 6);
  CHECK(fit.problems == 3);
  CHECK(fit.groups == 2);  // another type of the same shape is in the same group
  const double expected[] = {3, 3, 1, 3, 3, 3};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(fit.rows[i].weight == expected[i]);
    CHECK(fit.rows[i].group == (i == 5 ? 1 : 0));
  }
}

TEST_CASE(
    "Rows that are unverified, untimed, without normal inputs or not of our kernels are omitted") {
  std::vector<Measurement> rows = rows_of_one(10);
  rows[1].verified = false;
  rows[2].status = Status::kFailed;
  rows[3].time.reset();
  rows[4].sm_clock.reset();
  rows[5].point.inputs = Inputs::kZeros;
  rows[6].point.config = std::string(kCublasltBest);
  std::get<GemmProblem>(rows[7].point.problem).shape.k += 4;  // unaligned rows of A: rejected
  rows[8].point = {.problem = StreamProblem{1, 4096, ElementType::kFp32, Op::kMemcpy},
                   .config = {}};
  rows[8].point.config = std::string(kRuntimeCopy);
  rows[9].point = rows[0].point;  // repeated: the last one counts
  rows[9].cycles = *rows[0].cycles * 2;
  const FitRows fit = fit_rows(h200(), {file_of(rows)}, 1);
  REQUIRE(fit.rows.size() == 1);
  CHECK(fit.rows[0].cycles == *rows[9].cycles);
  CHECK(fit.left_out == 9);
}

TEST_CASE("Short windows under continuous load do not count if enough rows have long ones") {
  const auto fitted = [](std::size_t of_long_windows) {
    std::vector<Measurement> rows = rows_of_one(122);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {  // the last row is a burst
      rows[i].point.regime = Regime::kSustained;
      rows[i].time->median = Seconds{1e-4};
      rows[i].time->samples = i < of_long_windows ? 10000 : 1000;
    }
    return fit_rows(h200(), {file_of(rows)}, 1);
  };
  CHECK(fitted(119).rows.size() == 122);
  const FitRows without = fitted(120);
  CHECK(without.rows.size() == 121);
  CHECK(without.left_out == 1);
}

TEST_CASE("Too few rows, or a row of another GPU, are errors with their count or place") {
  std::vector<Measurement> rows = rows_of_one(3);
  rows[2].verified = false;
  CHECK(ERROR_MESSAGE(fit_rows(h200(), {file_of(rows)}, 3)) ==
        "2 expected at least 3 measured GEMMs, got 2 (excluded rows, such as those of other "
        "operations, unverified or repeated: 1)");
  CHECK(fit_rows(h200(), {file_of(rows)}, 2).rows.size() == 2);
  rows[1].context.gpu = "h100_sxm";
  CHECK(ERROR_MESSAGE(fit_rows(h200(), {file_of(rows)}, 1)) ==
        "2 x.csv:3: gpu: expected a row measured on h200_sxm or NVIDIA H200 SXM 141 GB, "
        "got 'h100_sxm'");
  rows[1].context.gpu = h200().product;
  CHECK(fit_rows(h200(), {file_of(rows)}, 1).rows.size() == 2);
}

}  // namespace
}  // namespace tilecast
