#include "validate/calibrate/fit_learned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/parallel.h"
#include "model/base/quantile.h"
#include "model/learn/learned.h"
#include "model/learn/trees.h"
#include "validate/calibrate/boost.h"

namespace tilecast {
namespace {

/// Numbers of trees for cycles, for the clock and for the expected error.
struct TreeCounts {
  std::size_t cycles, clock, error;
};
constexpr TreeCounts kTrees{600, 300, 80};
constexpr double kPriorRidge = 4000;  // pulls leaves to those of a prior, in weights of rows
constexpr int kFolds = 10;
constexpr float kCyclesNearBest = 6, kClockNearBest = 2;  // weights of rows near the best
constexpr double kOutside = 0.1;                          // fraction of rows outside the interval
constexpr double kLeastError = 0.003;  // added to the error of log(time) before its logarithm
// A bottleneck with fewer rows uses the reach of all rows, a kind that of its rows' bottlenecks.
constexpr std::size_t kRowsForReach = 50, kRowsForKind = 20;
constexpr double kLeastInside = 0.88;  // fraction of a kind's rows inside, below which it is wider

std::vector<Eigen::Index> where(const std::vector<int>& group, const auto& is) {
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (is(group[i])) {
      rows.push_back(static_cast<Eigen::Index>(i));
    }
  }
  return rows;
}

/// How a sum is fitted: own trees; a prior's with a level of its own; or also with leaves moved.
struct Start {
  const LearnedSum* prior = nullptr;
  double ridge = 0;  // 0: the prior's leaves stay
};

LearnedSum fit_sum(const BoostRows& rows, const std::vector<FeatureScale>& scale, std::size_t trees,
                   const Start& start) {
  LearnedSum sum;
  BoostRows rest = rows;
  if (start.prior != nullptr) {
    sum = *start.prior;
    rest.target -= values_of(sum.trees, scale, rows.features);
  }
  sum.level = weighted_median(rest.target, rows.weight);
  rest.target = rows.target.array() - static_cast<float>(sum.level);
  if (start.prior == nullptr) {
    sum.trees = boost(rest, scale, trees);
  } else if (start.ridge > 0) {
    sum.trees = with_moved_leaves(sum.trees, rest, scale, start.ridge);
  }
  return sum;
}

/// A fitted sum, and its values for rows of held-out problems; with a prior also those of own trees
/// alone, and of the prior with a level alone.
struct FittedSum {
  LearnedSum sum;
  Eigen::VectorXf left_out, own, prior;
};

FittedSum fit_sum(const BoostRows& rows, const std::vector<FeatureScale>& scale, std::size_t trees,
                  const LearnedSum* prior, unsigned threads) {
  std::vector<Start> starts{{}};
  if (prior != nullptr) {
    starts.push_back({prior, 0});
    starts.push_back({prior, kPriorRidge});
  }
  constexpr int kFits = kFolds + 1;  // the last with all rows
  std::vector<Eigen::VectorXf> said(starts.size(), Eigen::VectorXf::Zero(rows.target.size()));
  std::vector<LearnedSum> sums(starts.size());
  parallel_for(starts.size() * kFits, threads, [&](std::size_t task) {
    const std::size_t start = task / kFits;
    const int fold = static_cast<int>(task % kFits);
    const auto is_out = [fold](int group) { return group % kFolds == fold; };
    const std::vector<Eigen::Index> out = where(rows.group, is_out);
    const LearnedSum sum =
        fit_sum(rows.part(where(rows.group, [&](int group) { return !is_out(group); })), scale,
                trees, starts[start]);
    if (fold == kFolds) {
      sums[start] = sum;
    } else {
      said[start](out) = values_of(sum.trees, scale, rows.features(out, Eigen::all)).array() +
                         static_cast<float>(sum.level);
    }
  });
  const auto error = [&](const Eigen::VectorXf& of) {
    return (rows.target - of).cwiseAbs().dot(rows.weight);
  };
  const auto best =
      static_cast<std::size_t>(std::ranges::min_element(said, {}, error) - said.begin());
  round_leaves(sums[best]);
  return {.sum = sums[best],
          .left_out = said[best],
          .own = said.front(),
          .prior = said[prior != nullptr ? 1 : 0]};
}

double mean_error(const Eigen::VectorXd& logs) {
  return logs.size() > 0 ? ((-logs).array().exp() - 1).abs().mean() : 0;
}

double quantile(std::vector<double> values, double at) {
  std::ranges::sort(values);
  return quantile_of_sorted<double>(values, at);
}

/// Sets the factors of the kinds of which too few rows are inside. The quantile counts one row
/// more, outside, since a kind can have few.
void set_wider(const std::vector<KernelFeatures>& features, const std::vector<double>& ratios,
               const std::vector<std::string>& kinds, LearnedReach& reach) {
  for (const std::string& kind : kinds) {
    std::vector<double> values;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      if (std::ranges::find(features[i].kinds, kind) != features[i].kinds.end()) {
        values.push_back(ratios[i] / reach.of(features[i].limiter, {}));
      }
    }
    const auto inside = std::ranges::count_if(values, [](double value) { return value <= 1; });
    if (values.size() < kRowsForKind ||
        static_cast<double>(inside) >= kLeastInside * static_cast<double>(values.size())) {
      continue;
    }
    std::ranges::sort(values);
    const auto at = static_cast<std::size_t>(
        std::ceil((1 - kOutside) * static_cast<double>(values.size() + 1)));
    reach.wider.push_back({kind, std::max(1.0, values[std::min(at, values.size()) - 1])});
  }
}

/// Ratios to the expected error that cover 90 % of the rows, by bottleneck; bottlenecks with few
/// rows use all rows.
LearnedReach reach_of(const std::vector<KernelFeatures>& features,
                      const std::vector<double>& ratios, const std::vector<std::string>& kinds) {
  LearnedReach reach;
  for (std::size_t place = 0; place < reach.each.size(); ++place) {
    std::vector<double> values;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      if (features[i].limiter == kReachCounted[place]) {
        values.push_back(ratios[i]);
      }
    }
    reach.each[place] =
        std::max(quantile(values.size() < kRowsForReach ? ratios : values, 1 - kOutside), 0.01);
  }
  set_wider(features, ratios, kinds, reach);
  return reach;
}

/// Logarithms of measured over predicted, for given corrections.
struct LeftOver {
  Eigen::VectorXd cycles, clock;

  LeftOver(const LearnRows& rows, const SeenRows& seen, const Eigen::VectorXf& cycles_said,
           const Eigen::VectorXf& clock_said, unsigned threads)
      : cycles(cycles_said.size()), clock(clock_said.size()) {
    parallel_for(rows.rows.size(), threads, [&](std::size_t i) {
      const auto at = static_cast<Eigen::Index>(i);
      const double of_cycles = bounded(cycles_said[at], kMostOfCycles);
      const Hertz settled = seen.corrected(i, of_cycles).clock.sm_clock;
      clock[at] = std::log(rows.rows[i].clock / settled) - bounded(clock_said[at], kMostOfClock);
      cycles[at] = seen.cycles_off[at] - of_cycles;
    });
  }

  Eigen::ArrayXd time() const { return (cycles - clock).array(); }

  LeftOutError error(const LearnRows& rows, const SeenRows& seen) const {
    std::vector<Eigen::Index> near;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      if (rows.rows[i].weight > 1) {
        near.push_back(static_cast<Eigen::Index>(i));
      }
    }
    return {mean_error(seen.cycles_off), mean_error(cycles), mean_error(cycles(near)),
            mean_error(seen.clock_off),  mean_error(clock),  0};
  }
};

BoostRows boost_rows(const LearnRows& rows, const SeenRows& seen) {
  const auto count = static_cast<Eigen::Index>(rows.rows.size());
  BoostRows all{Eigen::MatrixXf(count, static_cast<Eigen::Index>(kMostFeatures)),
                Eigen::VectorXf(count),
                Eigen::VectorXf::Ones(count),
                {}};
  for (Eigen::Index i = 0; i < count; ++i) {
    const Features& values = seen.features[static_cast<std::size_t>(i)].values;
    for (std::size_t f = 0; f < values.size(); ++f) {
      all.features(i, static_cast<Eigen::Index>(f)) = static_cast<float>(values[f]);
    }
    all.group.push_back(rows.rows[static_cast<std::size_t>(i)].group);
  }
  return all;
}

/// Sets the mean contributions of the groups.
void set_usual(const LearnedModel& model, const SeenRows& seen, LearnedSum& sum) {
  sum.usual.assign(feature_groups(model.features).size(), 0);
  for (const KernelFeatures& kernel : seen.features) {
    const std::vector<double> parts =
        contributions_of(sum, model.features, RampPositions(model.scale, kernel.values));
    for (std::size_t i = 0; i < sum.usual.size(); ++i) {
      sum.usual[i] += parts[i] / static_cast<double>(seen.features.size());
    }
  }
}

/// A fitted method, and its errors on held-out problems.
struct FittedMethod {
  LearnedMethod method;
  LeftOutError error;
  PriorGain gain;
};

/// `model` has the scale of the features.
FittedMethod fit_method(const LearnRows& rows, const SeenRows& seen, const LearnedModel& model,
                        const LearnedMethod* prior, unsigned threads) {
  BoostRows to_fit = boost_rows(rows, seen);
  const auto fitted = [&](const Eigen::VectorXf& target, float near_best, std::size_t count,
                          const LearnedSum* before) {
    to_fit.target = target;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      to_fit.weight[static_cast<Eigen::Index>(i)] = rows.rows[i].weight > 1 ? near_best : 1;
    }
    return fit_sum(to_fit, model.scale, count, before, threads);
  };
  FittedSum cycles = fitted(seen.cycles_off.cast<float>(), kCyclesNearBest, kTrees.cycles,
                            prior == nullptr ? nullptr : &prior->cycles);
  FittedSum clock = fitted(seen.clock_off.cast<float>(), kClockNearBest, kTrees.clock,
                           prior == nullptr ? nullptr : &prior->clock);
  set_usual(model, seen, cycles.sum);
  set_usual(model, seen, clock.sum);
  const LeftOver left(rows, seen, cycles.left_out, clock.left_out, threads);
  const Eigen::VectorXf none = Eigen::VectorXf::Zero(to_fit.target.size());
  const Eigen::ArrayXd plain = LeftOver(rows, seen, none, none, threads).time().abs();
  const Eigen::ArrayXd off = left.time().abs();
  const FittedSum error = fitted((off + kLeastError).log().cast<float>(), 1, kTrees.error,
                                 prior == nullptr ? nullptr : &prior->error);
  const Eigen::ArrayXd expected = error.left_out.cast<double>().array().exp();
  const Eigen::ArrayXd ratio = off / expected;
  FittedMethod done{
      .method = {.cycles = cycles.sum,
                 .clock = clock.sum,
                 .error = error.sum,
                 .reach = reach_of(seen.features, {ratio.begin(), ratio.end()}, model.kinds),
                 .uncorrected = quantile({plain.begin(), plain.end()}, 1 - kOutside)},
      .error = left.error(rows, seen),
      .gain = {}};
  std::vector<double> widths;
  for (std::size_t i = 0; i < seen.features.size(); ++i) {
    widths.push_back(
        2 * std::sinh(expected[static_cast<Eigen::Index>(i)] *
                      done.method.reach.of(seen.features[i].limiter, seen.features[i].kinds)));
  }
  done.error.width = quantile(widths, 0.5);
  if (prior != nullptr) {
    const auto of = [&](const Eigen::VectorXf& of_cycles, const Eigen::VectorXf& of_clock) {
      return LeftOver(rows, seen, of_cycles, of_clock, threads).error(rows, seen);
    };
    done.gain = {.gpu = {},
                 .cycles = cycles.sum.level - prior->cycles.level,
                 .clock = clock.sum.level - prior->clock.level,
                 .own = of(cycles.own, clock.own),
                 .prior = of(cycles.prior, clock.prior)};
  }
  return done;
}

/// The thresholds of a prior stay, since its trees refer to them; ranges cover both.
std::vector<FeatureScale> joined(std::vector<FeatureScale> own, const LearnedModel* prior) {
  for (std::size_t f = 0; prior != nullptr && f < own.size(); ++f) {
    const auto& [at, width, least, most] = prior->scale[f];
    own[f] = {at, width, std::min(least, own[f].least), std::max(most, own[f].most)};
  }
  return own;
}

std::vector<std::string> kinds_in(const std::vector<KernelFeatures>& kernels,
                                  const LearnedModel* prior) {
  std::vector<std::string> kinds = prior == nullptr ? std::vector<std::string>{} : prior->kinds;
  for (const KernelFeatures& kernel : kernels) {
    kinds.insert(kinds.end(), kernel.kinds.begin(), kernel.kinds.end());
  }
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
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
  LearnedFit fit;
  fit.model = {.features = features,
               .scale = joined(feature_scale(features, seen.features), before.model),
               .kinds = kinds_in(seen.features, before.model),
               .rows = rows.rows.size(),
               .prior = before.gpu};
  progress("trees of the analytic model");
  const LearnedMethod* const prior = before.model == nullptr ? nullptr : &before.model->analytic;
  FittedMethod last = fit_method(rows, closed, fit.model, prior, threads);
  fit.model.analytic = last.method;
  fit.analytic = fit.simulated = last.error;
  if (simulated) {
    progress("trees of the simulation");
    last = fit_method(rows, seen, fit.model,
                      prior == nullptr ? nullptr : &before.model->by_simulation(), threads);
    fit.model.simulated = last.method;
    fit.simulated = last.error;
  }
  if (prior != nullptr) {
    fit.prior = last.gain;
    fit.prior->gpu = before.gpu;
  }
  return fit;
}

}  // namespace tilecast
