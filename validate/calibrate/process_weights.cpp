#include "validate/calibrate/process_weights.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "model/base/parallel.h"
#include "model/learn/gaussian_process.h"

namespace tilecast {
namespace {

constexpr double kJitter = 1e-4;  // keeps the covariance of duplicates invertible

/// Similarity of each row of `a` to each row of `b`; features are in units of length scales.
Eigen::MatrixXd likeness_of(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd values = -2 * a * b.transpose();
  values.colwise() += a.rowwise().squaredNorm();
  values.rowwise() += b.rowwise().squaredNorm().transpose();
  return values.unaryExpr(
      [](double squared) -> double { return likeness(static_cast<float>(squared)); });
}

/// Contribution of some of the rows to the normal equations of the Gaussian process.
struct Part {
  Eigen::MatrixXd likeness, squares, with_targets;

  Part(const ProcessRows& rows, const Eigen::MatrixXd& inside, const std::vector<Eigen::Index>& own)
      : likeness(likeness_of(inside, rows.points(own, Eigen::all))),
        squares(Eigen::MatrixXd::Zero(inside.rows(), inside.rows())) {
    const Eigen::VectorXd trust = rows.noise(own).cwiseInverse();
    const Eigen::MatrixXd scaled = likeness * trust.cwiseSqrt().asDiagonal();
    squares.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    with_targets = likeness * trust.asDiagonal() * rows.targets(own, Eigen::all);
  }
  Part() = default;
};

std::vector<std::vector<Eigen::Index>> rows_by_fold(const std::vector<int>& fold) {
  std::vector<std::vector<Eigen::Index>> folds;
  for (std::size_t i = 0; i < fold.size(); ++i) {
    if (fold[i] >= 0) {
      folds.resize(std::max(folds.size(), static_cast<std::size_t>(fold[i]) + 1));
      folds[static_cast<std::size_t>(fold[i])].push_back(static_cast<Eigen::Index>(i));
    }
  }
  return folds;
}

/// With P the inverse of the covariance and all rows kept, the error of fold f predicted from the
/// other folds is P_ff^-1 (P y)_f.
ProcessWeights of_all_kept(const ProcessRows& rows, unsigned threads) {
  constexpr double kSaysNothing = 1e6;  // used instead of an infinite variance
  Eigen::MatrixXd covariance = likeness_of(rows.points, rows.points);
  covariance.diagonal() += rows.noise.cwiseMin(kSaysNothing);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factors(covariance);
  ProcessWeights fit{factors.solve(rows.targets),
                     Eigen::MatrixXd::Zero(rows.targets.rows(), rows.targets.cols())};
  const std::vector<std::vector<Eigen::Index>> folds = rows_by_fold(rows.fold);
  parallel_for(folds.size(), threads, [&](std::size_t f) {
    const std::vector<Eigen::Index>& own = folds[f];
    const auto count = static_cast<Eigen::Index>(own.size());
    if (count == 0) {
      return;
    }
    Eigen::MatrixXd part = Eigen::MatrixXd::Zero(rows.points.rows(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
      part(own[static_cast<std::size_t>(i)], i) = 1;
    }
    factors.matrixL().solveInPlace(part);
    const Eigen::MatrixXd inverse = part.transpose() * part;
    fit.left_out(own, Eigen::all) =
        rows.targets(own, Eigen::all) - inverse.llt().solve(fit.weights(own, Eigen::all));
  });
  return fit;
}

}  // namespace

ProcessWeights process_weights(const ProcessRows& rows, unsigned threads) {
  if (rows.kept.size() == rows.fold.size()) {
    return of_all_kept(rows, threads);
  }
  const std::vector<std::vector<Eigen::Index>> folds = rows_by_fold(rows.fold);
  const Eigen::MatrixXd inside = rows.points(rows.kept, Eigen::all);
  std::vector<Part> parts(folds.size());
  parallel_for(folds.size(), threads,
               [&](std::size_t f) { parts[f] = Part(rows, inside, folds[f]); });
  Eigen::MatrixXd squares = likeness_of(inside, inside);
  squares.diagonal().array() += kJitter;
  Eigen::MatrixXd with_targets = Eigen::MatrixXd::Zero(inside.rows(), rows.targets.cols());
  for (const Part& part : parts) {
    squares.triangularView<Eigen::Lower>() += part.squares;
    with_targets += part.with_targets;
  }
  ProcessWeights fit{squares.selfadjointView<Eigen::Lower>().llt().solve(with_targets),
                     Eigen::MatrixXd::Zero(rows.targets.rows(), rows.targets.cols())};
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

}  // namespace tilecast
