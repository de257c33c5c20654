#include "validate/calibrate/fit_constants.h"

#include <algorithm>
#include <cmath>

#include "tests/catch.h"
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

double mean_size(const std::vector<double>& logs) {
  double sum = 0;
  for (const double log : logs) {
    sum += std::abs(log);
  }
  return sum / static_cast<double>(logs.size());
}

/// Found within three standard errors, which are `error` of the truth at most.
void check_found(const FittedConstant& c, double truth, double error) {
  CAPTURE(c.key, c.prior, c.value, truth, c.standard_error);
  CHECK(c.determined);
  CHECK(std::abs(c.value - truth) < 3 * c.standard_error);
  CHECK(c.standard_error < error * truth);
}

TEST_CASE("Constants that made the rows' cycles are found again") {
  LoadedGpu gpu = h200();
  GpuSpec truth = gpu.spec;
  truth.fitted->merge_limit *= 0.7;
  truth.fitted->dram_wait *= 1.4;
  const FitRows rows =
      fit_rows(gpu.spec, {file_of(example_gemm_rows(truth, 0, 30, 25, as_predicted))}, 1);
  REQUIRE(rows.rows.size() >= 250);
  CHECK(mean_size(cycle_residuals(gpu.spec, rows, kThreads)) > 0.02);
  CHECK(mean_size(cycle_residuals(truth, rows, kThreads)) < 1e-9);

  const GpuSpec prior = gpu.spec;
  const ConstantFit fit = fit_cycles(gpu, rows, kThreads);
  CHECK(mean_size(cycle_residuals(gpu.spec, rows, kThreads)) < 0.005);
  const FittedConstant& merge_limit = constant(fit, "fitted.merge_limit");
  check_found(merge_limit, truth.fitted->merge_limit, 0.1);
  check_found(constant(fit, "fitted.dram_wait"), truth.fitted->dram_wait, 0.2);
  // The spec has what the list says.
  CHECK(gpu.spec.fitted->merge_limit == Approx(merge_limit.value));

  // No row of these has plain stores.
  const FittedConstant& unknown = constant(fit, "fitted.plain_store");
  CHECK_FALSE(unknown.determined);
  CHECK(unknown.value == unknown.prior);
  CHECK(gpu.spec.fitted->plain_store == prior.fitted->plain_store);
  CHECK(unknown.standard_error == Approx(0.5 * unknown.prior));
  CHECK(fit.constants.size() == 3);
}

TEST_CASE("Energies that made the rows' clocks are found again") {
  LoadedGpu gpu = h200();
  GpuSpec truth = gpu.spec;
  truth.power->per_flop_normal = truth.power->per_flop_normal * 1.25;
  const FitRows rows =
      fit_rows(gpu.spec, {file_of(example_gemm_rows(truth, 0, 30, 10, as_predicted))}, 1);
  const GpuSpec prior = gpu.spec;
  const ConstantFit fit = fit_clock(gpu, rows, {}, kThreads);
  check_found(constant(fit, "power.per_flop_normal"), 1.25 * 0.7644, 0.1);
  // Other inputs keep their ratio.
  CHECK(gpu.spec.power->per_flop_zeros / gpu.spec.power->per_flop_normal ==
        Approx(prior.power->per_flop_zeros / prior.power->per_flop_normal));
  for (const FitRow& row : rows.rows) {
    const ClockState state =
        sm_clock(gpu.spec, work_of(gpu.spec, row, row.cycles), row.regime, Inputs::kNormal);
    CHECK(state.sm_clock / row.clock == Approx(1).epsilon(0.01));
  }
}

TEST_CASE("A fitted number stays within what a GPU file may hold") {
  // Rows that wait for DRAM as long as for two of it: no more than all of its latency is waited
  // for.
  LoadedGpu gpu = h200();
  GpuSpec truth = gpu.spec;
  truth.machine->dram_latency = truth.machine->dram_latency * 3;
  std::vector<Measurement> rows;
  const KernelConfig config = parse_kernel_config(
      "warp_specialized:tile=64x256x64,stages=2,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided");
  for (i64 k = 4096; k < 16384; k += 64) {
    rows.push_back(example_gemm_row(truth, {{64, 132 * 256, k}, ElementType::kFp16, Layout::kTn},
                                    config, Regime::kBurst, as_predicted));
  }
  const ConstantFit fit = fit_cycles(gpu, fit_rows(gpu.spec, {file_of(rows)}, 1), kThreads);
  const FittedConstant& wait = constant(fit, "fitted.dram_wait");
  CHECK(wait.value > wait.prior);
  CHECK(wait.value <= 1);
  CHECK(gpu.spec.fitted->dram_wait == Approx(wait.value));
  SECTION("and one that ends at its bound is named") {
    CHECK(wait.at_bound);
    CHECK(bound_lines(fit.constants).find("fitted.dram_wait ended at the bound of its range, 1 ") !=
          std::string::npos);
    CHECK(std::ranges::count(fit.constants, true, &FittedConstant::at_bound) == 1);
  }
}

TEST_CASE("Rows that say nothing of any constant leave all of them") {
  LoadedGpu gpu = h200();
  const GpuSpec prior = gpu.spec;
  std::vector<Measurement> rows = example_gemm_rows(gpu.spec, 0, 1, 1, as_predicted);
  const ConstantFit fit = fit_clock(gpu, fit_rows(gpu.spec, {file_of(rows)}, 1), {}, kThreads);
  for (const FittedConstant& c : fit.constants) {
    CHECK(std::abs(c.value / c.prior - 1) < 1e-6);
  }
  CHECK(gpu.spec.power->per_flop_normal.value == Approx(prior.power->per_flop_normal.value));
}

}  // namespace
}  // namespace tilecast
