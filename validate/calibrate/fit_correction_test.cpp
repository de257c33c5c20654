#include "validate/calibrate/fit_correction.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/calibrate/example_rows.h"

namespace tilecast {
namespace {

constexpr unsigned kThreads = 2;

GpuSpec h200() { return load_gpu("h200_sxm", false).spec; }

FitRows rows_of(const GpuSpec& gpu, int first, int problems, const CyclesFactor& factor) {
  return fit_rows(gpu, {file_of(example_gemm_rows(gpu, first, problems, 12, factor))}, 1);
}

/// 12 % more cycles at each doubling of the tile's columns from 64 on.
double by_columns(const GemmProblem&, const KernelConfig& config) {
  return std::pow(1.12, std::log2(config.tiling.block_n) - 6);
}

TEST_CASE("What one feature explains is gone from problems that the fit has not seen") {
  const GpuSpec gpu = h200();
  const CorrectionFit fit = fit_correction(gpu, rows_of(gpu, 0, 45, by_columns), {}, kThreads);
  CHECK(fit.error.cycles_without > 0.08);
  CHECK(fit.error.cycles_shapes < 0.01);
  CHECK(fit.error.cycles_tiles < 0.5 * fit.error.cycles_without);
  CHECK(fit.error.clock_shapes < 0.005);
  const LinearCorrection& cycles = fit.correction.cycles;
  CHECK(cycles.weight.size() == correction_term_count());
  CHECK(cycles.term_mean.size() == correction_term_count());
  CHECK(cycles.feature_mean.size() == kCorrectionFeatures.size());
  CHECK(std::ranges::all_of(cycles.feature_spread, [](double spread) { return spread > 0; }));

  // And so it is through a prediction, of problems that no part of the fit has seen.
  GpuSpec corrected = gpu;
  corrected.correction =
      std::make_shared<const Correction>(Correction{fit.correction, fit.correction});
  double off = 0;
  const std::vector<Measurement> others = example_gemm_rows(gpu, 45, 6, 12, by_columns);
  for (const Measurement& m : others) {
    const Prediction p =
        predict_config(corrected, m.point.problem, parse_kernel_config(m.point.config),
                       m.point.regime, Inputs::kNormal, Method::kAnalytic);
    off += std::abs(p.time / m.time->median - 1) / static_cast<double>(others.size());
  }
  CHECK(off < 0.015);
}

TEST_CASE("Without anything to correct, factors are 1 and nothing gets worse") {
  const GpuSpec gpu = h200();
  const CorrectionFit fit = fit_correction(gpu, rows_of(gpu, 0, 15, as_predicted), {}, kThreads);
  CHECK(fit.error.cycles_without < 1e-9);
  CHECK(fit.error.cycles_shapes < 1e-6);
  CHECK(fit.error.clock_shapes < 1e-3);
}

TEST_CASE("Simulated cycles are corrected from where they are, not from the closed forms") {
  // Simulations that are all 20 % too fast, beside closed forms that are right.
  const GpuSpec gpu = h200();
  const FitRows rows = rows_of(gpu, 0, 30, as_predicted);
  std::vector<SimulatedRow> simulated;
  for (const FitRow& row : rows.rows) {
    const Cycles cycles = row.cycles / 1.25;
    simulated.push_back({cycles, work_of(gpu, row, cycles), {}});
  }
  const CorrectionFit fit = fit_correction(gpu, rows, simulated, kThreads);
  CHECK(fit.error.cycles_without == Approx(0.2).epsilon(1e-3));
  CHECK(fit.error.cycles_shapes < 0.002);
}

TEST_CASE("Nine of ten unseen rows lie within the interval") {
  // Kernels repeat to 6 %, sustained ones to 3 %, by a seeded draw.
  const GpuSpec gpu = h200();
  std::mt19937 random(20250131);
  std::normal_distribution<double> normal;
  const auto noisy = [&](int first, int problems) {
    std::vector<Measurement> rows = example_gemm_rows(gpu, first, problems, 12, by_columns);
    for (Measurement& m : rows) {
      const double width = m.point.regime == Regime::kBurst ? 0.06 : 0.03;
      const double by = std::exp(width * normal(random));
      m.cycles = *m.cycles * by;
      m.time->median = m.time->median * by;
    }
    return rows;
  };
  const FitRows rows = fit_rows(gpu, {file_of(noisy(0, 50))}, 1);
  const CorrectionFit fit = fit_correction(gpu, rows, {}, kThreads);
  GpuSpec corrected = gpu;
  corrected.correction =
      std::make_shared<const Correction>(Correction{fit.correction, fit.correction});
  std::map<Regime, std::pair<int, int>> covered;  // and all
  double width = 0;
  const std::vector<Measurement> unseen = noisy(50, 60);
  for (const Measurement& m : unseen) {
    const Prediction p =
        predict_config(corrected, m.point.problem, parse_kernel_config(m.point.config),
                       m.point.regime, Inputs::kNormal, Method::kAnalytic);
    const Seconds time = m.time->median;
    covered[m.point.regime].first += time >= p.interval_low && time <= p.interval_high ? 1 : 0;
    ++covered[m.point.regime].second;
    width += (p.interval_high - p.interval_low) / p.time / static_cast<double>(unseen.size());
  }
  const auto [burst, bursts] = covered[Regime::kBurst];
  const auto [sustained, all_sustained] = covered[Regime::kSustained];
  CAPTURE(burst, bursts, sustained, all_sustained, width);
  CHECK(static_cast<double>(burst + sustained) / (bursts + all_sustained) ==
        Approx(0.90).margin(0.04));
  CHECK(width < 0.3);  // 2 x 1.64 x 6 %, and a little for what the correction itself moves
  // Regimes have quantiles of their own, schedules without one those of all.
  const std::vector<ResidualQuantiles>& quantiles = fit.correction.quantiles;
  CHECK(std::ranges::count_if(quantiles, [](const auto& q) { return !q.schedule; }) == 2);
  for (const ResidualQuantiles& q : quantiles) {
    CHECK(q.low < 0);
    CHECK(q.high > 0);
  }
}

}  // namespace
}  // namespace tilecast
