#include "validate/calibrate/design.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <queue>

#include "model/gemm/predict/kernel_features.h"

namespace tilecast {
namespace {

constexpr double kRowError = 0.05;      // of a row's logarithm
constexpr double kFeatureWidth = 0.03;  // what a spread of a feature may change of it

Eigen::MatrixXd feature_rows(const GpuSpec& gpu, const FitRows& rows) {
  Eigen::MatrixXd z(static_cast<Eigen::Index>(rows.rows.size()),
                    static_cast<Eigen::Index>(kLearnedFeatures.size()));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const FitRow& row = rows.rows[i];
    const ClosedForm form = closed_form(gpu, row.problem, row.config, row.work, row.clock);
    const Features f =
        kernel_features(gpu, row.problem, row.config, row.work, form, row.clock, {}, row.regime)
            .values;
    z.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(f.data(), static_cast<Eigen::Index>(f.size()));
  }
  for (Eigen::Index k = 0; k < z.cols(); ++k) {
    z.col(k).array() -= z.col(k).mean();
    const double spread = std::sqrt(z.col(k).squaredNorm() / static_cast<double>(z.rows()));
    z.col(k) *= spread > 0 ? kFeatureWidth / spread : 0;
  }
  return z;
}

struct Gain {
  double value;
  std::size_t row, after;  // computed when so many had been chosen

  bool operator<(const Gain& other) const {
    return value != other.value ? value < other.value : row > other.row;
  }
};

}  // namespace

std::vector<std::size_t> most_informative(const GpuSpec& gpu, const FitRows& rows,
                                          std::size_t count) {
  const Eigen::MatrixXd vectors = feature_rows(gpu, rows) / kRowError;
  // The priors: a unit each. Kept as its inverse.
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(vectors.cols(), vectors.cols());
  const auto gain_of = [&](std::size_t row) {
    const auto v = vectors.row(static_cast<Eigen::Index>(row));
    return std::log1p((v * inverse * v.transpose()).value());
  };
  std::priority_queue<Gain> best;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    best.push({gain_of(i), i, 0});
  }
  std::vector<std::size_t> chosen;
  while (chosen.size() < count && !best.empty()) {
    const Gain top = best.top();
    best.pop();
    if (top.after != chosen.size()) {
      best.push({gain_of(top.row), top.row, chosen.size()});
      continue;
    }
    const Eigen::VectorXd v = vectors.row(static_cast<Eigen::Index>(top.row)).transpose();
    const Eigen::VectorXd u = inverse * v;
    inverse -= u * u.transpose() / (1 + v.dot(u));
    chosen.push_back(top.row);
  }
  return chosen;
}

}  // namespace tilecast
