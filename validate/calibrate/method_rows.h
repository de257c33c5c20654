// The equations of one method: a GPU's own rows and those of a prior, with features in units of
// length scales, and residuals in units of spread.
// Checked by: fit_learned_test.cpp.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "model/rank/prediction.h"
#include "validate/calibrate/prior_rows.h"
#include "validate/calibrate/process_weights.h"
#include "validate/calibrate/seen_rows.h"

namespace tilecast {

/// Data shared by both methods.
struct Shared {
  const FitRows& rows;
  const LearnedModel* before;  // the model that the prior's rows are from
  PriorRows prior;
  std::vector<int> fold;  // number by problem: own rows, then the prior's
  int folds;
  std::vector<Eigen::Index> kept;  // own rows, then all of the prior's
  Eigen::VectorXd noise;           // own rows, then the prior's
  bool simulated;
  unsigned threads;

  Eigen::Index own() const { return static_cast<Eigen::Index>(rows.rows.size()); }
  Eigen::Index others() const { return static_cast<Eigen::Index>(prior.count()); }
};

/// One method's rows: own ones, then the prior's, shifted to the level of the own ones.
struct MethodRows {
  Method method;
  Eigen::VectorXd off[2], shift;  // log residuals of cycles and clock
  double spread[2];
  ProcessRows process;
  Eigen::MatrixXd by_prior;  // prediction of left-out own rows by the prior's rows alone, at that
                             // level
};

/// One row per kernel.
Eigen::MatrixXd matrix_of(const std::vector<KernelFeatures>& features);

/// Root mean square, for numbers whose mean should be 0.
double spread_about_0(const Eigen::VectorXd& logs);

/// Residuals in units of spread, clipped.
Eigen::VectorXd targets_of(const Eigen::VectorXd& off, double spread);

/// For own rows, then the prior's, as if they were own ones.
Eigen::VectorXd noise_of(const FitRows& rows, const PriorRows& prior);

const LearnedMethod& method_of(const LearnedModel& model, Method method);

/// Whether the feature is unavailable to the method, or nothing was simulated.
bool says_nothing(std::size_t feature, Method method, bool simulated);

/// The prior's rows count as much as own ones; `model` has the length scales.
MethodRows method_rows(const Shared& shared, const SeenRows& seen, Method method,
                       const LearnedModel& model);

/// The noise variance of the prior's rows that minimizes the error on left-out own rows.
double prior_noise(const Shared& shared, MethodRows rows);

}  // namespace tilecast
