#include "validate/calibrate/process_weights.h"

#include <limits>
#include <random>

#include "model/learn/gaussian_process.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

/// Random rows with two features and two outputs, in four folds, all kept.
ProcessRows example(Eigen::Index count) {
  std::mt19937 random(20261124);
  std::normal_distribution<double> normal;
  ProcessRows rows{.points = Eigen::MatrixXd(count, 2),
                   .targets = Eigen::MatrixXd(count, 2),
                   .noise = Eigen::VectorXd(count),
                   .kept = {},
                   .fold = {}};
  for (Eigen::Index i = 0; i < count; ++i) {
    for (const Eigen::Index column : {0, 1}) {
      rows.points(i, column) = normal(random);
      rows.targets(i, column) = normal(random);
    }
    rows.noise[i] = 0.1 + 0.05 * static_cast<double>(i % 3);
    rows.kept.push_back(i);
    rows.fold.push_back(static_cast<int>(i % 4));
  }
  return rows;
}

/// Returns the rows for which `is` returns true, all kept.
template <class Is>
ProcessRows part_of(const ProcessRows& rows, const Is& is) {
  std::vector<Eigen::Index> chosen;
  ProcessRows part;
  for (const Eigen::Index i : rows.kept) {
    if (is(i)) {
      part.kept.push_back(static_cast<Eigen::Index>(chosen.size()));
      part.fold.push_back(rows.fold[static_cast<std::size_t>(i)]);
      chosen.push_back(i);
    }
  }
  part.points = rows.points(chosen, Eigen::all);
  part.targets = rows.targets(chosen, Eigen::all);
  part.noise = rows.noise(chosen);
  return part;
}

double said(const ProcessRows& rows, const Eigen::MatrixXd& weights, const Eigen::VectorXd& point) {
  double sum = 0;
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    const double apart = (rows.points.row(i).transpose() - point).squaredNorm();
    sum += likeness(static_cast<float>(apart)) * weights(i, 0);
  }
  return sum;
}

TEST_CASE("Two rows that are far apart keep target / (1 + noise)") {
  ProcessRows rows{.points = Eigen::MatrixXd::Zero(2, 1),
                   .targets = Eigen::MatrixXd(2, 1),
                   .noise = Eigen::VectorXd(2),
                   .kept = {0, 1},
                   .fold = {0, 1}};
  rows.points << 0, 1000;
  rows.targets << 3, -2;
  rows.noise << 0.5, 1;
  const ProcessWeights fit = process_weights(rows, 1);
  CHECK(fit.weights(0, 0) == Approx(3 / 1.5));
  CHECK(fit.weights(1, 0) == Approx(-2.0 / 2));
  CHECK(std::abs(fit.left_out(0, 0)) < 1e-9);  // no other row is informative about this one
}

TEST_CASE("The prediction of a held-out row equals the prediction by a fit without its fold") {
  const ProcessRows rows = example(23);
  const ProcessWeights fit = process_weights(rows, 2);
  for (const int fold : {0, 3}) {
    const ProcessRows others = part_of(
        rows, [&](Eigen::Index i) { return rows.fold[static_cast<std::size_t>(i)] != fold; });
    const ProcessWeights without = process_weights(others, 1);
    for (Eigen::Index i = fold; i < 23; i += 4) {
      CHECK(fit.left_out(i, 0) ==
            Approx(said(others, without.weights, rows.points.row(i))).margin(1e-6));
    }
  }
}

TEST_CASE("Rows without a fold are in all fits, and rows with infinite noise in none") {
  ProcessRows rows = example(24);
  for (std::size_t i = 12; i < 24; ++i) {
    rows.fold[i] = -1;
    rows.noise[static_cast<Eigen::Index>(i)] = std::numeric_limits<double>::infinity();
  }
  const ProcessWeights with = process_weights(rows, 1);
  const ProcessWeights alone =
      process_weights(part_of(rows, [](Eigen::Index i) { return i < 12; }), 1);
  for (Eigen::Index i = 0; i < 12; ++i) {
    CHECK(with.left_out(i, 0) == Approx(alone.left_out(i, 0)).margin(1e-4));
  }
  CHECK(with.weights.bottomRows(12).cwiseAbs().maxCoeff() < 1e-4);
  // Conversely, holding out a fold of these rows does not change predictions of the first rows.
  rows.noise.tail(12).setConstant(0.1);
  rows.noise.head(12).setConstant(std::numeric_limits<double>::infinity());
  const ProcessRows others = part_of(rows, [](Eigen::Index i) { return i >= 12; });
  const ProcessWeights of_others = process_weights(others, 1);
  const ProcessWeights by_others = process_weights(rows, 1);
  for (Eigen::Index i = 0; i < 12; ++i) {
    CHECK(by_others.left_out(i, 0) ==
          Approx(said(others, of_others.weights, rows.points.row(i))).margin(1e-4));
  }
}

TEST_CASE("A kept subset that covers all points predicts nearly as well as all rows") {
  // Each of twelve points occurs twice; one of each pair is kept.
  const ProcessRows once = example(12);
  ProcessRows rows{.points = Eigen::MatrixXd(24, 2),
                   .targets = Eigen::MatrixXd(24, 2),
                   .noise = Eigen::VectorXd(24),
                   .kept = once.kept,
                   .fold = once.fold};
  rows.points << once.points, once.points;
  rows.targets << once.targets, once.targets.array() + 0.2;
  rows.noise << once.noise, once.noise;
  rows.fold.insert(rows.fold.end(), once.fold.begin(), once.fold.end());
  const ProcessWeights kept = process_weights(rows, 1);
  for (Eigen::Index i = 12; i < 24; ++i) {
    rows.kept.push_back(i);
  }
  const ProcessWeights all = process_weights(rows, 1);
  CHECK(kept.weights.rows() == 12);
  for (Eigen::Index i = 0; i < 24; ++i) {
    CHECK(kept.left_out(i, 0) == Approx(all.left_out(i, 0)).margin(0.01));
  }
}

}  // namespace
}  // namespace tilecast
