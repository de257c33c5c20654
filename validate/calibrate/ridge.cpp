#include "validate/calibrate/ridge.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr int kRounds = 6;
constexpr double kSmallest = 0.01;  // residuals below count as squares
constexpr double kUsual = 0.05;     // a residual of this size weighs 1

struct Products {
  Eigen::MatrixXd terms;  // T' W T
  Eigen::VectorXd with_y;
};

Products products(const Eigen::MatrixXd& terms, const Eigen::VectorXd& y,
                  const Eigen::VectorXd& weight) {
  Products p{Eigen::MatrixXd::Zero(terms.cols(), terms.cols()), {}};
  const Eigen::MatrixXd scaled = weight.cwiseSqrt().asDiagonal() * terms;
  p.terms.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  p.with_y = terms.transpose() * weight.cwiseProduct(y);
  return p;
}

/// The last term is the constant, which no penalty draws to 0.
Eigen::VectorXd solve(Products p, double penalty) {
  p.terms.diagonal().head(p.terms.cols() - 1).array() += penalty;
  return p.terms.selfadjointView<Eigen::Lower>().llt().solve(p.with_y);
}

double median(Eigen::VectorXd values) {
  const auto middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  return *middle;
}

}  // namespace

Ridge robust_ridge(const Eigen::MatrixXd& terms, const Eigen::VectorXd& y,
                   const Eigen::VectorXd& row_weight, const std::vector<int>& folds,
                   double penalty) {
  TILECAST_ASSERT(terms.rows() == y.size() && row_weight.size() == y.size() &&
                  folds.size() == static_cast<std::size_t>(y.size()) && y.size() > 0);
  Ridge ridge;
  ridge.constant = median(y);
  ridge.term_mean = terms.colwise().mean();
  Eigen::MatrixXd centred(terms.rows(), terms.cols() + 1);
  centred << terms.rowwise() - ridge.term_mean.transpose(), Eigen::VectorXd::Ones(y.size());
  const Eigen::VectorXd target = y.array() - ridge.constant;
  Eigen::VectorXd weight = row_weight;
  Products all;
  Eigen::VectorXd answer;
  for (int round = 0; round < kRounds; ++round) {
    all = products(centred, target, weight);
    answer = solve(all, penalty);
    if (round + 1 < kRounds) {
      const Eigen::VectorXd off = (target - centred * answer).cwiseAbs();
      weight = kUsual * row_weight.cwiseQuotient(off.cwiseMax(kSmallest));
    }
  }
  const double middle = ridge.constant;
  ridge.weight = answer.head(terms.cols());
  ridge.constant += answer[terms.cols()];
  ridge.left_out.resize(y.size());
  const int fold_count = *std::ranges::max_element(folds) + 1;
  for (int fold = 0; fold < fold_count; ++fold) {
    std::vector<Eigen::Index> out;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] == fold) {
        out.push_back(static_cast<Eigen::Index>(i));
      }
    }
    if (out.empty()) {
      continue;
    }
    const Eigen::MatrixXd theirs = centred(out, Eigen::all);
    const Products without = products(theirs, target(out), weight(out));
    const Eigen::VectorXd others =
        solve({all.terms - without.terms, all.with_y - without.with_y}, penalty);
    ridge.left_out(out) = (theirs * others).array() + middle;
  }
  return ridge;
}

}  // namespace tilecast
