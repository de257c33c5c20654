#include "validate/calibrate/fit_learned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "model/base/parallel.h"
#include "model/base/quantile.h"
#include "model/base/shuffle.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/learn/learned.h"
#include "validate/calibrate/kernel_lengths.h"
#include "validate/calibrate/method_rows.h"

namespace tilecast {
namespace {

constexpr std::size_t kKept = 3300;        // rows kept in the model
constexpr std::size_t kForLengths = 3500;  // rows for fitting length scales; 2200 are too few
// Number of random subsets to average over, because the length scales of one subset are noisy.
constexpr std::size_t kLengthDraws = 4;
constexpr int kRounds = 14;  // rounds of optimization
constexpr int kFolds = 10;
constexpr double kFirstLength = 8;    // initial length scale, in standard deviations of a feature
constexpr double kFirstNoise = 0.5;   // initial noise, in standard deviations of an output
constexpr double kClockCounts = 0.5;  // weight of the clock relative to cycles
constexpr double kOutside = 0.1;      // fraction of rows outside the interval
// A bottleneck with fewer rows uses the reach of all rows.
constexpr std::size_t kRowsForReach = 50;

/// Draws `most` of `count` indices with a seed, in ascending order.
std::vector<Eigen::Index> drawn(std::size_t count, std::size_t most, u64 seed) {
  std::vector<Eigen::Index> rows(count);
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  std::mt19937_64 random(seed);
  shuffle(rows, random);
  rows.resize(std::min(count, most));
  std::ranges::sort(rows);
  return rows;
}

/// Fits length scales to a random subset of the rows.
KernelLengths lengths_of_draw(const LearnRows& rows, const SeenRows& seen, u64 seed) {
  const std::vector<Eigen::Index> some = drawn(rows.rows.size(), kForLengths, seed);
  LengthRows part{.features = matrix_of(seen.features)(some, Eigen::all),
                  .targets = Eigen::MatrixXd(static_cast<Eigen::Index>(some.size()), 2),
                  .weight = Eigen::VectorXd(static_cast<Eigen::Index>(some.size())),
                  .noise = noise_of(rows, {})(some),
                  .fold = {}};
  part.targets << targets_of(seen.cycles_off(some), spread_about_0(seen.cycles_off)),
      kClockCounts * targets_of(seen.clock_off(some), spread_about_0(seen.clock_off));
  for (std::size_t i = 0; i < some.size(); ++i) {
    const LearnRow& row = rows.rows[static_cast<std::size_t>(some[i])];
    part.weight[static_cast<Eigen::Index>(i)] = row.weight;
    part.fold.push_back(row.group % std::min(kFolds, rows.groups));
  }
  const Eigen::VectorXd spread =
      ((part.features.rowwise() - part.features.colwise().mean()).colwise().squaredNorm() /
       static_cast<double>(some.size()))
          .cwiseSqrt();
  const Eigen::VectorXd first =
      (kFirstLength * spread).unaryExpr([](double length) { return length > 0 ? length : 1.0; });
  return fit_lengths(part, {first, kFirstNoise}, kRounds);
}

/// Fits length scales: the geometric mean over several random subsets, if one subset omits rows.
KernelLengths lengths_of(const LearnRows& rows, const SeenRows& seen, unsigned threads) {
  constexpr u64 kSeed = 20261122;
  const std::size_t draws = rows.rows.size() > kForLengths ? kLengthDraws : 1;
  std::vector<KernelLengths> of_draw(draws);
  parallel_for(draws, threads,
               [&](std::size_t i) { of_draw[i] = lengths_of_draw(rows, seen, kSeed + i); });
  Eigen::VectorXd length = Eigen::VectorXd::Zero(std::tuple_size_v<Features>);
  double noise = 0;
  for (const KernelLengths& one : of_draw) {
    length += one.length.array().log().matrix();
    noise += std::log(one.noise);
  }
  const auto count = static_cast<double>(draws);
  return {(length / count).array().exp(), std::exp(noise / count)};
}

KernelLengths lengths_in(const LearnedModel& model) {
  return {Eigen::Map<const Eigen::VectorXd>(model.length.data(),
                                            static_cast<Eigen::Index>(model.length.size())),
          model.noise};
}

double mean_error(const Eigen::VectorXd& logs) {
  return logs.size() > 0 ? ((-logs).array().exp() - 1).abs().mean() : 0;
}

std::vector<double> list(const Eigen::VectorXd& values) { return {values.begin(), values.end()}; }

/// Number of standard deviations that covers 90 % of the rows, for each bottleneck; bottlenecks
/// with few rows use all rows.
LearnedReach reach_of(const std::vector<KernelFeatures>& features,
                      const std::vector<double>& deviations) {
  LearnedReach reach;
  for (std::size_t place = 0; place < reach.each.size(); ++place) {
    std::vector<double> values;
    for (std::size_t i = 0; i < deviations.size(); ++i) {
      if (features[i].limiter == kReachCounted[place]) {
        values.push_back(deviations[i]);
      }
    }
    if (values.size() < kRowsForReach) {
      values = deviations;
    }
    std::ranges::sort(values);
    reach.each[place] = std::max(quantile_of_sorted<double>(values, 1 - kOutside), 0.01);
  }
  return reach;
}

/// Predicts the GPU's rows with given corrections: cycles, the resulting clock, and the correction
/// of the clock itself.
struct LeftOver {
  Eigen::VectorXd cycles, clock;

  LeftOver(const Shared& shared, const SeenRows& seen, const MethodRows& rows,
           const Eigen::MatrixXd& said)
      : cycles(shared.own()), clock(shared.own()) {
    parallel_for(shared.rows.rows.size(), shared.threads, [&](std::size_t i) {
      const auto at = static_cast<Eigen::Index>(i);
      const auto learned = [&](int output, double most) {
        return std::clamp(said(at, output) * rows.spread[output], -most, most);
      };
      const double of_cycles = learned(0, kMostOfCycles);
      const Settled<Cycles> settled = seen.corrected(i, of_cycles);
      clock[at] =
          std::log(shared.rows.rows[i].clock / settled.clock.sm_clock) - learned(1, kMostOfClock);
      cycles[at] = seen.cycles_off[at] - of_cycles;
    });
  }

  LeftOutError error(const Shared& shared, const SeenRows& seen) const {
    std::vector<Eigen::Index> near;
    for (std::size_t i = 0; i < shared.rows.rows.size(); ++i) {
      if (shared.rows.rows[i].weight > 1) {
        near.push_back(static_cast<Eigen::Index>(i));
      }
    }
    return {mean_error(seen.cycles_off), mean_error(cycles), mean_error(cycles(near)),
            mean_error(seen.clock_off),  mean_error(clock),  0};
  }
};

/// Standard deviation that the process predicts for each row of the GPU from the rows of other
/// problems.
std::vector<double> deviations_of(const Shared& shared, const SeenRows& seen, Method method,
                                  const LearnedModel& model) {
  std::vector<double> deviations(seen.features.size());
  parallel_for(static_cast<std::size_t>(shared.folds), shared.threads, [&](std::size_t f) {
    // Rows of the same problem would be a row's neighbours, so they are excluded.
    LearnedModel part{.features = model.features, .length = model.length, .noise = model.noise};
    LearnedMethod& spreads = method == Method::kSimulated ? part.simulated : part.analytic;
    spreads.cycles.spread = method_of(model, method).cycles.spread;
    spreads.clock.spread = method_of(model, method).clock.spread;
    part.prior = {model.prior.gpu, 0, model.prior.noise};
    for (std::size_t i = 0; i < model.rows.size(); ++i) {
      if (shared.fold[static_cast<std::size_t>(shared.kept[i])] != static_cast<int>(f)) {
        part.rows.push_back(model.rows[i]);
        part.prior.rows += of_prior(model, i) ? 1 : 0;
      }
    }
    const LearnedPart others(part, method);
    for (std::size_t i = 0; i < deviations.size(); ++i) {
      if (shared.fold[i] == static_cast<int>(f)) {
        deviations[i] = others.deviation(seen.features[i]);
      }
    }
  });
  return deviations;
}

/// Fits one method of `model`; its rows, length scales and prior must already be set.
LeftOutError fit_method(const Shared& shared, const SeenRows& seen, MethodRows& rows,
                        LearnedModel& model) {
  LearnedMethod& fitted = rows.method == Method::kSimulated ? model.simulated : model.analytic;
  rows.process.noise.tail(shared.others()) = model.prior.noise * shared.noise.tail(shared.others());
  const ProcessWeights fit = process_weights(rows.process, shared.threads);
  for (const auto& [output, of] : {std::pair(0, &fitted.cycles), std::pair(1, &fitted.clock)}) {
    *of = {rows.spread[output], list(rows.off[output](shared.kept)), list(fit.weights.col(output))};
  }
  const std::size_t count = seen.features.size();
  if (count < kRowsForReach && shared.before != nullptr) {
    fitted.reach = method_of(*shared.before, rows.method).reach;
  }
  if (count == 0) {
    return {};
  }
  const LeftOver left(shared, seen, rows, fit.left_out);
  std::vector<double> widths = deviations_of(shared, seen, rows.method, model);
  if (count >= kRowsForReach || shared.before == nullptr) {
    std::vector<double> deviations(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      deviations[i] = std::abs(left.cycles[at] - left.clock[at]) / widths[i];
    }
    fitted.reach = reach_of(seen.features, deviations);
  }
  for (std::size_t i = 0; i < count; ++i) {
    widths[i] = 2 * std::sinh(widths[i] * fitted.reach.of(seen.features[i].limiter));
  }
  std::ranges::sort(widths);
  LeftOutError error = left.error(shared, seen);
  error.width = quantile_of_sorted<double>(widths, 0.5);
  return error;
}

/// Computes the errors with the GPU's rows only and with the prior's rows only.
PriorGain prior_gain(const Shared& shared, const SeenRows& seen, const MethodRows& rows,
                     const std::string& gpu, double noise) {
  PriorGain gain{.gpu = gpu,
                 .rows = shared.prior.count(),
                 .noise = noise,
                 .cycles = rows.shift[0],
                 .clock = rows.shift[1],
                 .own = {},
                 .prior = {}};
  if (shared.own() > 0) {
    ProcessRows alone = rows.process;
    alone.noise.tail(shared.others()).setConstant(std::numeric_limits<double>::infinity());
    gain.own = LeftOver(shared, seen, rows, process_weights(alone, shared.threads).left_out)
                   .error(shared, seen);
    gain.prior = LeftOver(shared, seen, rows, rows.by_prior).error(shared, seen);
  }
  return gain;
}

}  // namespace

std::string error_line(std::string_view name, const LeftOutError& error) {
  return fmt::format(
      "  {:<10} cycles {:5.1f} % uncorrected, {:5.1f} % corrected, {:5.1f} % near the best; clock "
      "{:.2f} %, {:.2f} %; 90 % of times within {:.1f} %\n",
      name, 100 * error.cycles_without, 100 * error.cycles, 100 * error.cycles_near_best,
      100 * error.clock_without, 100 * error.clock, 100 * error.width);
}

LearnedFit fit_learned(const GpuSpec& gpu, const FitRows& rows,
                       const std::vector<SimulatedRow>& simulated, const LearnedBefore& before,
                       unsigned threads, const std::function<void(const std::string&)>& progress) {
  const std::vector<SimulatedRow> none;
  const SeenRows closed = see_rows(gpu, rows, none, threads);
  const SeenRows seen = simulated.empty() ? closed : see_rows(gpu, rows, simulated, threads);
  return fit_learned(learn_rows(rows), kGemmFeatures, closed, seen, !simulated.empty(), before,
                     threads, progress);
}

LearnedFit fit_learned(const LearnRows& rows, FeatureNames features, const SeenRows& closed,
                       const SeenRows& seen, bool simulated, const LearnedBefore& before,
                       unsigned threads, const std::function<void(const std::string&)>& progress) {
  progress("lengths of features");
  const KernelLengths lengths =
      before.model == nullptr ? lengths_of(rows, seen, threads) : lengths_in(*before.model);
  Shared shared{rows,
                before.gpu.empty() ? nullptr : before.model,
                {},
                {},
                std::min(kFolds, rows.groups),
                drawn(rows.rows.size(), kKept, 20261123),
                {},
                simulated,
                threads};
  if (shared.before != nullptr) {
    shared.prior = prior_rows(*shared.before, rows, kKept - shared.kept.size());
  }
  for (const LearnRow& row : rows.rows) {
    shared.fold.push_back(row.group % shared.folds);
  }
  for (const int group : shared.prior.group) {
    shared.fold.push_back(group < 0 ? -1 : group % shared.folds);
  }
  shared.noise = noise_of(rows, shared.prior) * (lengths.noise * lengths.noise);
  LearnedFit fit;
  fit.model.features = features;
  for (std::size_t f = 0; f < fit.model.length.size(); ++f) {
    fit.model.length[f] = lengths.length[static_cast<Eigen::Index>(f)];
  }
  fit.model.noise = lengths.noise;
  for (const Eigen::Index at : shared.kept) {
    const auto i = static_cast<std::size_t>(at);
    const LearnRow& row = rows.rows[i];
    fit.model.rows.push_back({to_text(row.point.problem), row.point.config, row.point.regime,
                              row.weight > 1, seen.features[i].values});
  }
  for (Eigen::Index i = 0; i < shared.others(); ++i) {
    shared.kept.push_back(shared.own() + i);
    LearnedRow row = *shared.prior.rows[static_cast<std::size_t>(i)];
    for (std::size_t f = 0; f < row.features.size(); ++f) {
      row.features[f] =
          says_nothing(features, f, Method::kSimulated, shared.simulated) ? 0 : row.features[f];
    }
    fit.model.rows.push_back(row);
  }
  MethodRows by_simulation = method_rows(shared, seen, Method::kSimulated, fit.model);
  if (shared.others() > 0) {
    progress("the prior's noise");
    fit.model.prior = {before.gpu, shared.prior.count(), prior_noise(shared, by_simulation)};
  }
  progress("rows by closed form");
  MethodRows by_form = method_rows(shared, closed, Method::kAnalytic, fit.model);
  fit.analytic = fit_method(shared, closed, by_form, fit.model);
  progress("rows by simulation");
  fit.simulated = fit_method(shared, seen, by_simulation, fit.model);
  if (shared.others() > 0) {
    fit.prior = prior_gain(shared, seen, by_simulation, before.gpu, fit.model.prior.noise);
  }
  return fit;
}

}  // namespace tilecast
