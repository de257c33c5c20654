#include "validate/calibrate/fit_correction.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "model/base/parallel.h"
#include "model/base/quantile.h"
#include "model/clock/clock.h"
#include "model/predict/corrected.h"
#include "model/predict/correction_terms.h"
#include "model/predict/settled_clock.h"
#include "model/predict/simulated_gemm.h"
#include "model/tile/kernel_config_text.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/calibrate/ridge.h"

namespace tilecast {
namespace {

constexpr int kFolds = 5;
constexpr double kPenalty = 30, kSpreadPenalty = 300;
constexpr double kLeastSpread = 0.005;  // of residuals: repeats differ by as much
constexpr std::size_t kLeastForQuantiles = 40;
constexpr std::size_t kRowsForWidth = 300;
constexpr double kOutside = 0.05;  // on each side

struct Scaled {
  LinearCorrection scale;  // mean and spread of the features
  Eigen::MatrixXd terms;
};

Scaled scaled_terms(const std::vector<Features>& features, const FitRows& rows) {
  const auto count = static_cast<double>(features.size());
  Scaled out;
  out.scale.feature_mean.assign(kCorrectionFeatures.size(), 0);
  out.scale.feature_spread.assign(kCorrectionFeatures.size(), 0);
  for (std::size_t k = 0; k < kCorrectionFeatures.size(); ++k) {
    double& mean = out.scale.feature_mean[k];
    double& spread = out.scale.feature_spread[k];
    for (const Features& f : features) {
      mean += f[k] / count;
    }
    for (const Features& f : features) {
      spread += (f[k] - mean) * (f[k] - mean) / count;
    }
    spread = spread > 0 ? std::sqrt(spread) : 1;  // one that never changes says nothing
  }
  out.terms.resize(static_cast<Eigen::Index>(features.size()),
                   static_cast<Eigen::Index>(correction_term_count()));
  std::vector<double> terms(correction_term_count());
  for (std::size_t i = 0; i < features.size(); ++i) {
    correction_terms(out.scale, features[i], rows.rows[i].config.schedule, terms);
    out.terms.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(terms.data(), static_cast<Eigen::Index>(terms.size()));
  }
  return out;
}

void take(const Ridge& ridge, const Scaled& scaled, LinearCorrection& into) {
  into = scaled.scale;
  into.constant = ridge.constant;
  into.weight.assign(ridge.weight.begin(), ridge.weight.end());
  into.term_mean.assign(ridge.term_mean.begin(), ridge.term_mean.end());
}

double mean_error(const Eigen::VectorXd& logs) { return ((-logs).array().exp() - 1).abs().mean(); }

std::vector<int> folds_by_problem(const FitRows& rows) {
  std::vector<int> folds;
  for (const FitRow& row : rows.rows) {
    folds.push_back(row.group % kFolds);
  }
  return folds;
}

std::vector<int> folds_by_tile(const FitRows& rows) {
  std::map<std::pair<i32, i32>, int> tiles;
  std::vector<int> folds;
  for (const FitRow& row : rows.rows) {
    const std::pair<i32, i32> tile{row.config.tiling.block_m, row.config.tiling.block_n};
    folds.push_back(tiles.try_emplace(tile, static_cast<int>(tiles.size())).first->second % kFolds);
  }
  return folds;
}

/// Of the rows' left-out residuals over their predicted spread.
std::vector<ResidualQuantiles> quantiles(const FitRows& rows, const Eigen::VectorXd& normalised) {
  std::map<std::pair<Regime, std::optional<Schedule>>, std::vector<double>> sets;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const FitRow& row = rows.rows[i];
    const double value = normalised[static_cast<Eigen::Index>(i)];
    sets[{row.regime, row.config.schedule}].push_back(value);
    sets[{row.regime, std::nullopt}].push_back(value);
  }
  std::vector<ResidualQuantiles> found;
  for (auto& [name, values] : sets) {
    if (values.size() < kLeastForQuantiles && name.second) {
      continue;
    }
    std::ranges::sort(values);
    found.push_back({name.first, name.second, quantile_of_sorted<double>(values, kOutside),
                     quantile_of_sorted<double>(values, 1 - kOutside)});
  }
  return found;
}

/// How far nine of ten of each limiter's residuals reach, over how far those of all do.
std::vector<LimiterWidth> limiter_widths(const std::vector<Limiter>& limiters,
                                         const Eigen::VectorXd& normalised) {
  std::vector<double> all;
  std::map<Limiter, std::vector<double>> sets;
  for (std::size_t i = 0; i < limiters.size(); ++i) {
    const double size = std::abs(normalised[static_cast<Eigen::Index>(i)]);
    sets[limiters[i]].push_back(size);
    all.push_back(size);
  }
  const auto reach = [](std::vector<double>& sizes) {
    std::ranges::sort(sizes);
    return quantile_of_sorted<double>(sizes, 1 - 2 * kOutside);
  };
  std::vector<LimiterWidth> widths;
  for (auto& [limiter, sizes] : sets) {  // drawn to 1 by as many rows as tell a quantile well
    const double trust =
        static_cast<double>(sizes.size()) / static_cast<double>(sizes.size() + kRowsForWidth);
    widths.push_back(
        {std::string(to_text(limiter)), std::exp(trust * std::log(reach(sizes) / reach(all)))});
  }
  return widths;
}

}  // namespace

std::vector<SimulatedRow> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                        const std::function<void(std::size_t)>& progress) {
  std::vector<SimulatedRow> simulated(rows.rows.size());
  std::atomic<std::size_t> done = 0;
  parallel_for(simulated.size(), threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    if (can_simulate(gpu, row.config)) {
      auto [kernel, phases] = simulate_phases(gpu, row.problem, row.config, row.clock);
      simulated[i] = {kernel.cycles, chip_work(row.problem, row.config, kernel, kernel.cycles),
                      std::move(phases)};
    }
    progress(++done);
  });
  return simulated;
}

CorrectionFit fit_correction(const GpuSpec& gpu, const FitRows& rows,
                             const std::vector<SimulatedRow>& simulated, unsigned threads) {
  const std::size_t count = rows.rows.size();
  const auto size = static_cast<Eigen::Index>(count);
  std::vector<Features> features(count);
  std::vector<Cycles> physics(count);
  std::vector<Limiter> limiters(count);
  Eigen::VectorXd off(size), weight(size);
  parallel_for(count, threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    const ClosedForm form = closed_form(gpu, row.problem, row.config, row.work, row.clock);
    const Cycles sim = simulated.empty() ? Cycles{} : simulated[i].cycles;
    physics[i] = sim.value > 0 ? sim : form.cycles;
    limiters[i] = form.limiter;
    features[i] =
        correction_features(row.problem, row.config, row.work, form, row.clock, sim, row.regime);
    off[static_cast<Eigen::Index>(i)] = std::log(row.cycles / physics[i]);
    weight[static_cast<Eigen::Index>(i)] = std::sqrt(row.weight);
  });
  CorrectionFit fit;
  const Scaled scaled = scaled_terms(features, rows);
  const std::vector<int> folds = folds_by_problem(rows);
  const Ridge cycles = robust_ridge(scaled.terms, off, weight, folds, kPenalty);
  const Ridge tiles = robust_ridge(scaled.terms, off, weight, folds_by_tile(rows), kPenalty);
  take(cycles, scaled, fit.correction.cycles);

  // The clock that corrected cycles leave, cycles moving with the closed form's.
  Eigen::VectorXd clock_off(size), clock_physics(size);
  parallel_for(count, threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    const auto at = static_cast<Eigen::Index>(i);
    const auto closed = [&](Hertz f) {
      return closed_form(gpu, row.problem, row.config, row.work, f).cycles;
    };
    const Cycles here = physics[i] * std::exp(cycles.left_out[at]);
    const Cycles closed_here = closed(row.clock);
    const auto [settled, clock] = settled_clock(*gpu.clock, row.clock, [&](Hertz f) {
      const Cycles moved = here * (closed(f) / closed_here);
      return Settled<Cycles>{
          moved, row_clock(gpu, row, simulated.empty() ? nullptr : &simulated[i], moved)};
    });
    clock_off[at] = std::log(row.clock / clock.sm_clock);
  });
  const Ridge clocks = robust_ridge(scaled.terms, clock_off, weight, folds, kPenalty);
  take(clocks, scaled, fit.correction.clock);

  // Time: what is left of cycles less what is left of the clock.
  const Eigen::VectorXd cycles_left = off - cycles.left_out;
  const Eigen::VectorXd clock_left = clock_off - clocks.left_out;
  const Eigen::VectorXd time_left = cycles_left - clock_left;
  const Eigen::VectorXd size_log = (time_left.array().abs() + kLeastSpread).log();
  const Ridge spread =
      robust_ridge(scaled.terms, size_log, Eigen::VectorXd::Ones(size), folds, kSpreadPenalty);
  take(spread, scaled, fit.correction.spread);
  Eigen::VectorXd normalised = time_left.array() / spread.left_out.array().exp();
  fit.correction.widths = limiter_widths(limiters, normalised);
  for (std::size_t i = 0; i < count; ++i) {
    normalised[static_cast<Eigen::Index>(i)] /= limiter_width(fit.correction, limiters[i]);
  }
  fit.correction.quantiles = quantiles(rows, normalised);
  fit.error = {mean_error(off), mean_error(cycles_left), mean_error(off - tiles.left_out),
               mean_error(clock_off), mean_error(clock_left)};
  return fit;
}

}  // namespace tilecast
