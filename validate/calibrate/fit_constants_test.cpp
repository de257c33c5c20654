#include "validate/calibrate/fit_constants.h"

#include <algorithm>
#include <cmath>

#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "validate/calibrate/example_rows.h"

namespace tilecast {
namespace {

constexpr unsigned kThreads = 2;

LoadedGpu h200() { return load_gpu("h200_sxm", false); }

const FittedConstant& constant(const ConstantFit& fit, const std::string& key) {
  const auto found = std::ranges::find(fit.constants, key, &FittedConstant::key);
  REQUIRE(found != fit.constants.end());
  return *found;
}

/// Checks that the truth is within three standard errors, and that the standard error is at most
/// `error` of it.
void check_found(const FittedConstant& c, double truth, double error) {
  CAPTURE(c.key, c.prior, c.value, truth, c.standard_error);
  CHECK(c.determined);
  CHECK(std::abs(c.value - truth) < 3 * c.standard_error);
  CHECK(c.standard_error < error * truth);
}

TEST_CASE("The fit recovers the energies that synthetic rows' clocks were made from") {
  LoadedGpu gpu = h200();
  GpuSpec truth = gpu.spec;
  truth.power->per_flop_normal = truth.power->per_flop_normal * 1.25;
  const FitRows rows =
      fit_rows(gpu.spec, {file_of(example_gemm_rows(truth, 0, 30, 10, as_predicted))}, 1);
  const GpuSpec prior = gpu.spec;
  const ConstantFit fit = fit_clock(gpu, rows, {}, kThreads);
  check_found(constant(fit, "power.per_flop_normal"), 1.25 * 0.3923, 0.1);
  // Energies for other inputs keep their ratio to normal.
  CHECK(gpu.spec.power->per_flop_zeros / gpu.spec.power->per_flop_normal ==
        Approx(prior.power->per_flop_zeros / prior.power->per_flop_normal));
  for (const FitRow& row : rows.rows) {
    const ClockState state = row_clock(gpu.spec, row, nullptr, row.cycles);
    CHECK(state.sm_clock / row.clock == Approx(1).epsilon(0.01));
  }
}

TEST_CASE("A fitted number stays within its range, and one at its bound is named") {
  // Clocks as if a bf16 FLOP took four times the energy of an fp16 FLOP; the range of bf16_flop
  // ends at 2.
  LoadedGpu gpu = h200();
  GpuSpec truth = gpu.spec;
  truth.power->bf16_flop = 4;
  std::vector<Measurement> rows;
  const KernelConfig config = gemm_config("ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 r24");
  for (const ElementType type : {ElementType::kFp16, ElementType::kBf16}) {
    for (i64 k = 4096; k < 16384; k += 128) {
      rows.push_back(example_gemm_row(truth, {{8192, 8192, k}, type, Layout::kTn}, config,
                                      Regime::kBurst, as_predicted));
    }
  }
  const ConstantFit fit = fit_clock(gpu, fit_rows(gpu.spec, {file_of(rows)}, 1), {}, kThreads);
  const FittedConstant& bf16 = constant(fit, "power.bf16_flop");
  CHECK(bf16.value == Approx(2));
  CHECK(gpu.spec.power->bf16_flop == Approx(bf16.value));
  CHECK(bf16.at_bound);
  CHECK(
      contains(bound_lines(fit.constants), "power.bf16_flop ended at the bound of its range, 2 "));
}

TEST_CASE("Rows that determine no constant leave all unchanged") {
  LoadedGpu gpu = h200();
  const GpuSpec prior = gpu.spec;
  std::vector<Measurement> rows = example_gemm_rows(gpu.spec, 0, 1, 1, as_predicted);
  const ConstantFit fit = fit_clock(gpu, fit_rows(gpu.spec, {file_of(rows)}, 1), {}, kThreads);
  for (const FittedConstant& c : fit.constants) {
    CHECK(std::abs(c.value / c.prior - 1) < 1e-6);
    CHECK((c.determined || c.value == c.prior));
  }
  CHECK(gpu.spec.power->per_flop_normal.value == Approx(prior.power->per_flop_normal.value));
}

}  // namespace
}  // namespace tilecast
