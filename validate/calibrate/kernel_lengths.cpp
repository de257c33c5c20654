#include "validate/calibrate/kernel_lengths.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "model/base/error.h"

namespace tilecast {
namespace {

// Smaller errors count quadratically, larger ones linearly.
constexpr double kUsual = 0.3;
// Penalty on 1 / length, in units of the feature's standard deviation, so that useless features get
// long length scales.
constexpr double kShortness = 1e-3;

std::vector<std::vector<Eigen::Index>> rows_of_folds(const std::vector<int>& fold) {
  std::vector<std::vector<Eigen::Index>> folds(
      static_cast<std::size_t>(*std::ranges::max_element(fold)) + 1);
  for (std::size_t i = 0; i < fold.size(); ++i) {
    folds[static_cast<std::size_t>(fold[i])].push_back(static_cast<Eigen::Index>(i));
  }
  return folds;
}

/// Similarity of all pairs of points (one point per row), and its derivative with respect to
/// squared distance.
void kernel(const Eigen::MatrixXd& points, Eigen::MatrixXd& likeness, Eigen::MatrixXd& slope) {
  const Eigen::VectorXd squares = points.rowwise().squaredNorm();
  likeness.noalias() = -2 * points * points.transpose();
  likeness.colwise() += squares;
  likeness.rowwise() += squares.transpose();
  const Eigen::ArrayXXd r = (5 * likeness.array().max(0)).sqrt();
  const Eigen::ArrayXXd fall = (-r).exp();
  slope = -(5.0 / 6) * (1 + r) * fall;
  likeness = (1 + r + r.square() / 3) * fall;
  likeness.diagonal().setOnes();
}

Eigen::VectorXd spreads(const Eigen::MatrixXd& features) {
  const Eigen::MatrixXd centred = features.rowwise() - features.colwise().mean();
  return (centred.colwise().squaredNorm() / static_cast<double>(features.rows())).cwiseSqrt();
}

}  // namespace

double left_out_error(const LengthRows& rows, const KernelLengths& at, Eigen::VectorXd& gradient) {
  const Eigen::Index count = rows.features.rows(), dimensions = rows.features.cols();
  const std::vector<std::vector<Eigen::Index>> folds = rows_of_folds(rows.fold);
  const auto fold_count = static_cast<Eigen::Index>(folds.size());
  const Eigen::MatrixXd points = rows.features * at.length.cwiseInverse().asDiagonal();
  Eigen::MatrixXd likeness, slope;
  kernel(points, likeness, slope);
  const Eigen::VectorXd noise = at.noise * at.noise * rows.noise;
  likeness.diagonal() += noise;
  const Eigen::MatrixXd inverse = likeness.llt().solve(Eigen::MatrixXd::Identity(count, count));
  const double all = rows.weight.sum();

  double error = 0;
  Eigen::MatrixXd by_covariance = Eigen::MatrixXd::Zero(count, count);  // derivative of the error
  for (Eigen::Index output = 0; output < rows.targets.cols(); ++output) {
    const Eigen::VectorXd weights = inverse * rows.targets.col(output);
    Eigen::VectorXd pull(count);
    Eigen::MatrixXd pulled(count, fold_count), off(count, fold_count);
    for (Eigen::Index f = 0; f < fold_count; ++f) {
      const std::vector<Eigen::Index>& own = folds[static_cast<std::size_t>(f)];
      const Eigen::LLT<Eigen::MatrixXd> block(inverse(own, own));
      const Eigen::VectorXd left = block.solve(weights(own));
      const Eigen::ArrayXd far = (1 + (left.array() / kUsual).square()).sqrt();
      const Eigen::ArrayXd weight = rows.weight(own).array() / all;
      error += 2 * kUsual * kUsual * (weight * (far - 1)).sum();
      const Eigen::VectorXd own_pull = block.solve((2 * weight * left.array() / far).matrix());
      pull(own) = own_pull;
      const Eigen::MatrixXd columns = inverse(Eigen::all, own);
      pulled.col(f) = columns * own_pull;
      off.col(f) = columns * left;
    }
    // d left = P_ff^-1 (d(P y)_f - dP_ff left), and dP = -P dK P.
    by_covariance.noalias() += pulled * off.transpose() - (inverse * pull) * weights.transpose();
  }
  Eigen::MatrixXd pairs = by_covariance.cwiseProduct(slope);
  pairs += pairs.transpose().eval();
  const Eigen::VectorXd sums = pairs.rowwise().sum();
  gradient.resize(dimensions + 1);
  gradient.head(dimensions) = 2 * (points.cwiseAbs2().transpose() * sums -
                                   points.cwiseProduct(pairs * points).colwise().sum().transpose());
  gradient[dimensions] = 2 * by_covariance.diagonal().dot(noise);
  const Eigen::VectorXd shortness = kShortness * spreads(rows.features).cwiseQuotient(at.length);
  gradient.head(dimensions) += shortness;
  return error + shortness.sum();
}

KernelLengths fit_lengths(const LengthRows& rows, KernelLengths start, int rounds) {
  constexpr double kFirstStep = 0.15, kLeastStep = 1e-3, kMostStep = 0.5;
  constexpr double kFaster = 1.2, kSlower = 0.5;
  // A few hundred rows of many problems do not distinguish low noise from none.
  constexpr double kLeastNoise = 0.3, kMostNoise = 3;
  constexpr double kLeastShort = 0.01,
                   kMostShort = 1;    // standard deviation of a feature divided by its length scale
  constexpr double kRounding = 1e-9;  // spread of a feature with one value
  const Eigen::VectorXd spread = spreads(rows.features);
  const Eigen::Index dimensions = spread.size();
  Eigen::VectorXd place(dimensions + 1), least(dimensions + 1), most(dimensions + 1);
  for (Eigen::Index d = 0; d < dimensions; ++d) {
    const double own = spread[d] > kRounding ? spread[d] : 1;
    place[d] = -std::log(start.length[d]);
    least[d] = std::log(kLeastShort / own);
    most[d] = std::log(kMostShort / own);
  }
  place[dimensions] = std::log(start.noise);
  least[dimensions] = std::log(kLeastNoise);
  most[dimensions] = std::log(kMostNoise);
  place = place.cwiseMax(least).cwiseMin(most);
  Eigen::VectorXd step = Eigen::VectorXd::Constant(place.size(), kFirstStep);
  Eigen::VectorXd before = Eigen::VectorXd::Zero(place.size()), gradient;
  KernelLengths best = start;
  double least_error = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const KernelLengths at{(-place.head(dimensions)).array().exp(), std::exp(place[dimensions])};
    if (const double error = left_out_error(rows, at, gradient); error < least_error) {
      least_error = error;
      best = at;
    }
    for (Eigen::Index d = 0; d < place.size(); ++d) {
      const double same = gradient[d] * before[d];
      step[d] = std::clamp(step[d] * (same > 0   ? kFaster
                                      : same < 0 ? kSlower
                                                 : 1),
                           kLeastStep, kMostStep);
      place[d] -= gradient[d] > 0 ? step[d] : gradient[d] < 0 ? -step[d] : 0;
    }
    place = place.cwiseMax(least).cwiseMin(most);
    before = gradient;
  }
  return best;
}

}  // namespace tilecast
