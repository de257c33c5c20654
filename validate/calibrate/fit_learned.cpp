#include "validate/calibrate/fit_learned.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>

#include "model/base/parallel.h"
#include "model/base/quantile.h"
#include "model/base/shuffle.h"
#include "model/clock/clock.h"
#include "model/predict/gemm_form.h"
#include "model/predict/learned.h"
#include "model/predict/settled_clock.h"
#include "model/predict/simulated_gemm.h"
#include "model/tile/kernel_config_text.h"
#include "validate/calibrate/kernel_lengths.h"

namespace tilecast {
namespace {

constexpr std::size_t kKept = 3300;        // rows that stand for all
constexpr std::size_t kForLengths = 3500;  // rows that lengths are learned from; 2200 are too few
constexpr std::size_t kLengthDraws = 4;    // one draw's lengths follow its chance
constexpr int kRounds = 14;                // of learning them
constexpr int kFolds = 10;
constexpr double kFirstLength = 8;         // spreads of a feature
constexpr double kFirstNoise = 0.5;        // spreads of an output
constexpr double kMostSpreads = 5;         // a row that is further off counts as one so far off
constexpr double kClockCounts = 0.5;       // over cycles, each in spreads
constexpr double kOutside = 0.1;           // of rows, beyond the interval
constexpr std::size_t kRowsForReach = 50;  // fewer of a kind have all rows' reach
constexpr double kJitter = 1e-4;           // keeps twins' covariance invertible

/// Rows as one method sees them.
struct SeenRows {
  std::vector<KernelFeatures> features;
  Eigen::VectorXd cycles_off, clock_off;  // logarithms of measured over physics
  std::function<Settled<Cycles>(std::size_t, double)> corrected;  // of a row, its cycles by so much
};

const KernelActivity* simulation_of(const std::vector<KernelActivity>& simulated, std::size_t i) {
  return !simulated.empty() && simulated[i].work.elapsed.value > 0 ? &simulated[i] : nullptr;
}

/// Refers to what it is given.
SeenRows see_rows(const GpuSpec& gpu, const FitRows& rows,
                  const std::vector<KernelActivity>& simulated, unsigned threads) {
  const std::size_t count = rows.rows.size();
  SeenRows seen{.features = std::vector<KernelFeatures>(count),
                .cycles_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .clock_off = Eigen::VectorXd(static_cast<Eigen::Index>(count)),
                .corrected = {}};
  const auto closed = [&gpu](const FitRow& row, Hertz f) {
    return closed_form(gpu, row.problem, row.config, row.work, f);
  };
  const auto over_closed = [&rows, &simulated, closed](std::size_t i) {
    const KernelActivity* simulation = simulation_of(simulated, i);
    const FitRow& row = rows.rows[i];
    return simulation != nullptr ? simulation->work.elapsed / closed(row, row.clock).cycles : 1;
  };
  // Cycles move with the closed form's, as in a prediction.
  seen.corrected = [=, &gpu, &rows, &simulated](std::size_t i, double log) {
    const FitRow& row = rows.rows[i];
    const double factor = over_closed(i) * std::exp(log);
    const KernelActivity* simulation = simulation_of(simulated, i);
    return settled_cycles(gpu, simulation != nullptr ? *simulation : activity_of(gpu, row),
                          row.clock, row.regime, Inputs::kNormal,
                          [&](Hertz f) { return closed(row, f).cycles * factor; });
  };
  parallel_for(count, threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    const GemmForm physics =
        gemm_form({gpu, row.problem, row.regime, Inputs::kNormal}, row.config, row.work);
    const double over = over_closed(i);
    const Hertz own = physics.clock.sm_clock;
    const KernelActivity* simulation = simulation_of(simulated, i);
    std::optional<SimulatedWork> work;
    if (simulation != nullptr) {
      work = {physics.form.cycles * over, simulation->work.l2, simulation->work.dram};
    }
    seen.features[i] = kernel_features(gpu, row.problem, row.config, row.work, physics.form, own,
                                       work, row.regime);
    const auto at = static_cast<Eigen::Index>(i);
    seen.cycles_off[at] = std::log(row.cycles / (closed(row, row.clock).cycles * over));
    seen.clock_off[at] =
        std::log(row.clock / seen.corrected(i, seen.cycles_off[at]).clock.sm_clock);
  });
  return seen;
}

Eigen::MatrixXd matrix_of(const std::vector<KernelFeatures>& features) {
  constexpr auto kCount = static_cast<Eigen::Index>(std::tuple_size_v<Features>);
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(features.size()), kCount);
  for (std::size_t i = 0; i < features.size(); ++i) {
    matrix.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(features[i].values.data(), kCount);
  }
  return matrix;
}

/// Of numbers whose mean is to be 0.
double spread_of(const Eigen::VectorXd& logs) {
  const double spread = std::sqrt(logs.squaredNorm() / static_cast<double>(logs.size()));
  constexpr double kLeast = 1e-3;  // measurements do not repeat better
  return std::clamp(spread, kLeast, 1.0);
}

/// Off in spreads, cut where they are far.
Eigen::VectorXd targets_of(const Eigen::VectorXd& off, double spread) {
  return (off / spread).cwiseMax(-kMostSpreads).cwiseMin(kMostSpreads);
}

/// `most` of `count`, by a seed; ascending.
std::vector<Eigen::Index> drawn(std::size_t count, std::size_t most, u64 seed) {
  std::vector<Eigen::Index> rows(count);
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  std::mt19937_64 random(seed);
  shuffle(rows, random);
  rows.resize(std::min(count, most));
  std::ranges::sort(rows);
  return rows;
}

Eigen::VectorXd noise_of(const FitRows& rows) {
  Eigen::VectorXd noise(static_cast<Eigen::Index>(rows.rows.size()));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    noise[static_cast<Eigen::Index>(i)] =
        noise_variance(rows.rows[i].regime, rows.rows[i].weight > 1);
  }
  return noise;
}

/// By some of the rows, drawn by the seed.
KernelLengths lengths_of_draw(const FitRows& rows, const SeenRows& seen, u64 seed) {
  const std::vector<Eigen::Index> some = drawn(rows.rows.size(), kForLengths, seed);
  LengthRows part{.features = matrix_of(seen.features)(some, Eigen::all),
                  .targets = Eigen::MatrixXd(static_cast<Eigen::Index>(some.size()), 2),
                  .weight = Eigen::VectorXd(static_cast<Eigen::Index>(some.size())),
                  .noise = noise_of(rows)(some),
                  .fold = {}};
  part.targets << targets_of(seen.cycles_off(some), spread_of(seen.cycles_off)),
      kClockCounts * targets_of(seen.clock_off(some), spread_of(seen.clock_off));
  for (std::size_t i = 0; i < some.size(); ++i) {
    const FitRow& row = rows.rows[static_cast<std::size_t>(some[i])];
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

/// The geometric mean of several draws', where rows are so many that one draw leaves some out.
KernelLengths lengths_of(const FitRows& rows, const SeenRows& seen, unsigned threads) {
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

/// Likeness of the rows of `a` to those of `b`, in lengths.
Eigen::MatrixXd likeness_of(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd values = -2 * a * b.transpose();
  values.colwise() += a.rowwise().squaredNorm();
  values.rowwise() += b.rowwise().squaredNorm().transpose();
  return values.unaryExpr(
      [](double squared) -> double { return likeness(static_cast<float>(squared)); });
}

struct Weights {
  Eigen::MatrixXd weights;   // of the kept rows, for each target
  Eigen::MatrixXd left_out;  // what rows of other problems say of each row
};

/// Weights of `kept` rows by which all rows are met best, and the same without each fold.
Weights fit_weights(const Eigen::MatrixXd& points, const Eigen::MatrixXd& targets,
                    const Eigen::VectorXd& noise, const std::vector<Eigen::Index>& kept,
                    const std::vector<std::vector<Eigen::Index>>& folds, unsigned threads) {
  const auto size = static_cast<Eigen::Index>(kept.size());
  const Eigen::MatrixXd inside = points(kept, Eigen::all);
  Eigen::MatrixXd prior = likeness_of(inside, inside);
  prior.diagonal().array() += kJitter;
  struct Part {
    Eigen::MatrixXd likeness, squares, with_targets;
  };
  std::vector<Part> parts(folds.size());
  parallel_for(folds.size(), threads, [&](std::size_t f) {
    const std::vector<Eigen::Index>& own = folds[f];
    Part& part = parts[f];
    part.likeness = likeness_of(inside, points(own, Eigen::all));
    const Eigen::VectorXd trust = noise(own).cwiseInverse();
    const Eigen::MatrixXd scaled = part.likeness * trust.cwiseSqrt().asDiagonal();
    part.squares = Eigen::MatrixXd::Zero(size, size);
    part.squares.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    part.with_targets = part.likeness * trust.asDiagonal() * targets(own, Eigen::all);
  });
  Eigen::MatrixXd squares = prior;
  Eigen::MatrixXd with_targets = Eigen::MatrixXd::Zero(size, targets.cols());
  for (const Part& part : parts) {
    squares.triangularView<Eigen::Lower>() += part.squares;
    with_targets += part.with_targets;
  }
  Weights fit{squares.selfadjointView<Eigen::Lower>().llt().solve(with_targets),
              Eigen::MatrixXd(targets.rows(), targets.cols())};
  parallel_for(folds.size(), threads, [&](std::size_t f) {
    const Part& part = parts[f];
    Eigen::MatrixXd others = squares;
    others.triangularView<Eigen::Lower>() -= part.squares;
    fit.left_out(folds[f], Eigen::all) =
        part.likeness.transpose() *
        others.selfadjointView<Eigen::Lower>().llt().solve(with_targets - part.with_targets);
  });
  return fit;
}

double mean_error(const Eigen::VectorXd& logs) { return ((-logs).array().exp() - 1).abs().mean(); }

std::vector<double> list(const Eigen::VectorXd& values) { return {values.begin(), values.end()}; }

/// How many deviations nine of ten times reach; few rows of a kind are counted with all.
LearnedReach reach_of(const std::vector<KernelFeatures>& features,
                      const std::vector<double>& deviations) {
  constexpr LearnedReach kKinds{1, 2, 3, 4, 5};
  const auto counted = [&](Limiter kind) {
    std::vector<double> own;
    for (std::size_t i = 0; i < deviations.size(); ++i) {
      if (kKinds.of(features[i].limiter) == kKinds.of(kind)) {
        own.push_back(deviations[i]);
      }
    }
    std::vector<double> values = own.size() < kRowsForReach ? deviations : own;
    std::ranges::sort(values);
    return std::max(quantile_of_sorted<double>(values, 1 - kOutside), 0.01);
  };
  return {counted(Limiter::kTensor), counted(Limiter::kL2), counted(Limiter::kDram),
          counted(Limiter::kEpilogue), counted(Limiter::kLatency)};
}

struct Shared {
  const FitRows& rows;
  KernelLengths lengths;
  std::vector<Eigen::Index> kept;
  std::vector<std::vector<Eigen::Index>> folds;  // by problem
  Eigen::VectorXd noise;
  unsigned threads;
};

/// Fills one method of `model`, whose rows and lengths are there.
LeftOutError fit_method(const Shared& shared, const SeenRows& seen, Method method,
                        LearnedModel& model) {
  LearnedMethod& fitted = method == Method::kSimulated ? model.simulated : model.analytic;
  const double cycles_spread = spread_of(seen.cycles_off);
  const double clock_spread = spread_of(seen.clock_off);
  Eigen::MatrixXd points = matrix_of(seen.features);
  for (Eigen::Index f = 0; f < points.cols(); ++f) {
    const bool unseen = method == Method::kAnalytic &&
                        kLearnedFeatures[static_cast<std::size_t>(f)].starts_with("simulated");
    points.col(f) *= unseen ? 0 : 1 / model.length[static_cast<std::size_t>(f)];
  }
  Eigen::MatrixXd targets(points.rows(), 2);
  targets << targets_of(seen.cycles_off, cycles_spread), targets_of(seen.clock_off, clock_spread);
  const Weights fit =
      fit_weights(points, targets, shared.noise, shared.kept, shared.folds, shared.threads);
  fitted.cycles = {cycles_spread, list(seen.cycles_off(shared.kept)), list(fit.weights.col(0))};
  fitted.clock = {clock_spread, list(seen.clock_off(shared.kept)), list(fit.weights.col(1))};

  // Left-out rows through a prediction: cycles, the clock that they leave, the clock's own part.
  const std::size_t count = seen.features.size();
  std::vector<double> deviations(count), widths(count);
  Eigen::VectorXd cycles_left(points.rows()), clock_left(points.rows());
  // The rows of a row's own problem are among those that it would lean on: others' alone count.
  std::vector<std::unique_ptr<LearnedPart>> others(shared.folds.size());
  std::vector<LearnedModel> without(shared.folds.size());
  parallel_for(shared.folds.size(), shared.threads, [&](std::size_t f) {
    LearnedModel& part = without[f];
    part.length = model.length;
    part.noise = model.noise;
    (method == Method::kSimulated ? part.simulated : part.analytic) = {
        {.spread = cycles_spread}, {.spread = clock_spread}, {}};
    for (std::size_t i = 0; i < model.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(shared.kept[i]);
      if (static_cast<std::size_t>(shared.rows.rows[row].group) % shared.folds.size() != f) {
        part.rows.push_back(model.rows[i]);
      }
    }
    others[f] = std::make_unique<LearnedPart>(part, method);
    for (const Eigen::Index at : shared.folds[f]) {
      const auto i = static_cast<std::size_t>(at);
      const double cycles =
          std::clamp(fit.left_out(at, 0) * cycles_spread, -kMostOfCycles, kMostOfCycles);
      const double clock =
          std::clamp(fit.left_out(at, 1) * clock_spread, -kMostOfClock, kMostOfClock);
      const Settled<Cycles> settled = seen.corrected(i, cycles);
      const FitRow& row = shared.rows.rows[i];
      clock_left[at] = std::log(row.clock / settled.clock.sm_clock) - clock;
      cycles_left[at] = seen.cycles_off[at] - cycles;
      widths[i] = others[f]->deviation(seen.features[i]);
      deviations[i] = std::abs(cycles_left[at] - clock_left[at]) / widths[i];
    }
  });
  fitted.reach = reach_of(seen.features, deviations);
  for (std::size_t i = 0; i < count; ++i) {
    widths[i] = 2 * std::sinh(widths[i] * fitted.reach.of(seen.features[i].limiter));
  }
  std::ranges::sort(widths);
  std::vector<Eigen::Index> near;
  for (std::size_t i = 0; i < count; ++i) {
    if (shared.rows.rows[i].weight > 1) {
      near.push_back(static_cast<Eigen::Index>(i));
    }
  }
  return {mean_error(seen.cycles_off),   mean_error(cycles_left),
          mean_error(cycles_left(near)), mean_error(seen.clock_off),
          mean_error(clock_left),        quantile_of_sorted<double>(widths, 0.5)};
}

}  // namespace

std::vector<KernelActivity> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                          const std::function<void(std::size_t)>& progress) {
  std::vector<KernelActivity> simulated(rows.rows.size());
  std::atomic<std::size_t> done = 0;
  parallel_for(simulated.size(), threads, [&](std::size_t i) {
    const FitRow& row = rows.rows[i];
    if (can_simulate(gpu, row.config)) {
      simulated[i] = simulate_phases(gpu, row.problem, row.config, row.clock).activity;
    }
    progress(++done);
  });
  return simulated;
}

LearnedFit fit_learned(const GpuSpec& gpu, const FitRows& rows,
                       const std::vector<KernelActivity>& simulated, const LearnedModel* lengths,
                       unsigned threads, const std::function<void(const std::string&)>& progress) {
  const std::vector<KernelActivity> none;
  const SeenRows closed = see_rows(gpu, rows, none, threads);
  const SeenRows seen = simulated.empty() ? closed : see_rows(gpu, rows, simulated, threads);
  progress("lengths of features");
  Shared shared{rows,
                lengths == nullptr ? lengths_of(rows, seen, threads) : lengths_in(*lengths),
                drawn(rows.rows.size(), kKept, 20261123),
                {},
                noise_of(rows),
                threads};
  shared.noise *= shared.lengths.noise * shared.lengths.noise;
  shared.folds.resize(static_cast<std::size_t>(std::min(kFolds, rows.groups)));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    shared.folds[static_cast<std::size_t>(rows.rows[i].group) % shared.folds.size()].push_back(
        static_cast<Eigen::Index>(i));
  }
  LearnedFit fit;
  for (std::size_t f = 0; f < fit.model.length.size(); ++f) {
    fit.model.length[f] = shared.lengths.length[static_cast<Eigen::Index>(f)];
  }
  fit.model.noise = shared.lengths.noise;
  for (const Eigen::Index at : shared.kept) {
    const auto i = static_cast<std::size_t>(at);
    const FitRow& row = rows.rows[i];
    fit.model.rows.push_back({to_text(problem_of(row.point)), row.point.config, row.regime,
                              row.weight > 1, seen.features[i].values});
  }
  progress("rows by closed form");
  fit.analytic = fit_method(shared, closed, Method::kAnalytic, fit.model);
  progress("rows by simulation");
  fit.simulated = fit_method(shared, seen, Method::kSimulated, fit.model);
  return fit;
}

}  // namespace tilecast
