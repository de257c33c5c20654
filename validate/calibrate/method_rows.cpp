#include "validate/calibrate/method_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilecast {
namespace {

constexpr double kMostSpreads = 5;  // spreads beyond which residuals are clipped
// Candidates for the noise variance of another GPU's rows relative to the GPU's rows; the one with
// the lowest error on the GPU's held-out rows is used.
constexpr double kPriorNoises[] = {1, 4, 16, 64};
constexpr double kUnknownPriorNoise = 4;  // used if there are no rows of the GPU

/// The value for which smaller values have half of the weight.
double weighted_median(const Eigen::VectorXd& values, const Eigen::VectorXd& weights) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, {}, [&](Eigen::Index i) { return values[i]; });
  double left = weights.sum() / 2;
  for (const Eigen::Index i : order) {
    left -= weights[i];
    if (left <= 0) {
      return values[i];
    }
  }
  return 0;
}

void set_targets(MethodRows& rows, Eigen::Index own) {
  rows.process.targets.resize(rows.off[0].size(), 2);
  for (const int output : {0, 1}) {
    Eigen::VectorXd moved = rows.off[output];
    moved.tail(moved.size() - own).array() += rows.shift[output];
    rows.process.targets.col(output) = targets_of(moved, rows.spread[output]);
  }
}

}  // namespace

Eigen::MatrixXd matrix_of(const std::vector<KernelFeatures>& features) {
  constexpr auto kCount = static_cast<Eigen::Index>(std::tuple_size_v<Features>);
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(features.size()), kCount);
  for (std::size_t i = 0; i < features.size(); ++i) {
    matrix.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(features[i].values.data(), kCount);
  }
  return matrix;
}

double spread_about_0(const Eigen::VectorXd& logs) {
  const double spread = std::sqrt(logs.squaredNorm() / static_cast<double>(logs.size()));
  constexpr double kLeast = 1e-3;  // run-to-run repeatability of the measurements
  return std::clamp(spread, kLeast, 1.0);
}

Eigen::VectorXd targets_of(const Eigen::VectorXd& off, double spread) {
  return (off / spread).cwiseMax(-kMostSpreads).cwiseMin(kMostSpreads);
}

Eigen::VectorXd noise_of(const LearnRows& rows, const PriorRows& prior) {
  std::vector<double> noise;
  for (const LearnRow& row : rows.rows) {
    noise.push_back(noise_variance(row.point.regime, row.weight > 1));
  }
  for (const LearnedRow* row : prior.rows) {
    noise.push_back(noise_variance(row->regime, row->near_best));
  }
  return Eigen::Map<const Eigen::VectorXd>(noise.data(), static_cast<Eigen::Index>(noise.size()));
}

const LearnedMethod& method_of(const LearnedModel& model, Method method) {
  return method == Method::kSimulated ? model.simulated : model.analytic;
}

bool says_nothing(FeatureNames features, std::size_t feature, Method method, bool simulated) {
  return features[feature].starts_with("simulated") && (method == Method::kAnalytic || !simulated);
}

MethodRows method_rows(const Shared& shared, const SeenRows& seen, Method method,
                       const LearnedModel& model) {
  MethodRows rows{.method = method,
                  .off = {},
                  .shift = Eigen::VectorXd::Zero(2),
                  .spread = {},
                  .process = {.noise = shared.noise, .kept = shared.kept, .fold = shared.fold},
                  .by_prior = {}};
  rows.off[0] = Eigen::VectorXd(shared.own() + shared.others());
  rows.off[1] = rows.off[0];
  rows.off[0].head(shared.own()) = seen.cycles_off;
  rows.off[1].head(shared.own()) = seen.clock_off;
  std::vector<KernelFeatures> features = seen.features;
  for (std::size_t i = 0; i < shared.prior.count(); ++i) {
    const LearnedMethod& before =
        method_of(*shared.before, shared.simulated ? method : Method::kAnalytic);
    const Eigen::Index at = shared.own() + static_cast<Eigen::Index>(i);
    rows.off[0][at] = before.cycles.off[shared.prior.place[i]];
    rows.off[1][at] = before.clock.off[shared.prior.place[i]];
    features.push_back({shared.prior.rows[i]->features, {}, {}});
  }
  rows.process.points = matrix_of(features);
  for (std::size_t f = 0; f < model.features.size(); ++f) {
    rows.process.points.col(static_cast<Eigen::Index>(f)) *=
        says_nothing(model.features, f, method, shared.simulated) ? 0 : 1 / model.length[f];
  }
  for (const int output : {0, 1}) {
    rows.spread[output] = spread_about_0(rows.off[output]);
  }
  set_targets(rows, shared.own());
  if (shared.own() > 0 && shared.others() > 0) {
    ProcessRows alone = rows.process;
    alone.noise.head(shared.own()).setConstant(std::numeric_limits<double>::infinity());
    rows.by_prior = process_weights(alone, shared.threads).left_out;
    const Eigen::VectorXd trust = shared.noise.head(shared.own()).cwiseInverse();
    for (const int output : {0, 1}) {
      const Eigen::VectorXd said = rows.spread[output] * rows.by_prior.col(output);
      rows.shift[output] = weighted_median((rows.off[output] - said).head(shared.own()), trust);
      rows.by_prior.col(output).array() += rows.shift[output] / rows.spread[output];
    }
    set_targets(rows, shared.own());
  }
  return rows;
}

double prior_noise(const Shared& shared, MethodRows rows) {
  if (shared.own() == 0 || shared.others() == 0) {
    return kUnknownPriorNoise;
  }
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (const double noise : kPriorNoises) {
    rows.process.noise.tail(shared.others()) = noise * shared.noise.tail(shared.others());
    const ProcessWeights fit = process_weights(rows.process, shared.threads);
    double error = 0;
    for (Eigen::Index i = 0; i < shared.own(); ++i) {
      const Eigen::RowVector2d left = rows.process.targets.row(i) - fit.left_out.row(i);
      error += shared.rows.rows[static_cast<std::size_t>(i)].weight *
               (std::abs(left[0]) * rows.spread[0] + std::abs(left[1]) * rows.spread[1]);
    }
    if (error < least) {
      least = error;
      best = noise;
    }
  }
  return best;
}

}  // namespace tilecast
