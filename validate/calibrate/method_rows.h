// The equations of one method: the GPU's rows and the prior's rows, with features in units of
// length scales and residuals in units of spread. Checked by: fit_learned_test.cpp.
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
  const LearnRows& rows;
  const LearnedModel* before;  // the model from which the prior's rows come
  PriorRows prior;
  std::vector<int> fold;  // fold index by problem: the GPU's rows, then the prior's
  int folds;
  std::vector<Eigen::Index> kept;  // indices of the GPU's rows, then of all the prior's rows
  Eigen::VectorXd noise;           // noise of the GPU's rows, then of the prior's rows
  bool simulated;
  unsigned threads;

  Eigen::Index own() const { return static_cast<Eigen::Index>(rows.rows.size()); }
  Eigen::Index others() const { return static_cast<Eigen::Index>(prior.count()); }
};

/// One method's rows: the GPU's rows, then the prior's rows, shifted to their level.
struct MethodRows {
  Method method;
  Eigen::VectorXd off[2], shift;  // log residuals of cycles and clock
  double spread[2];
  ProcessRows process;
  Eigen::MatrixXd
      by_prior;  // prediction of held-out rows from the prior's rows only, at that level
};

/// Returns a matrix with one row per kernel.
Eigen::MatrixXd matrix_of(const std::vector<KernelFeatures>& features);

/// Root mean square of numbers whose mean should be 0.
double spread_about_0(const Eigen::VectorXd& logs);

/// Returns residuals in units of spread, clipped.
Eigen::VectorXd targets_of(const Eigen::VectorXd& off, double spread);

/// Returns the noise of the GPU's rows, and of the prior's rows as if they were the GPU's.
Eigen::VectorXd noise_of(const LearnRows& rows, const PriorRows& prior);

const LearnedMethod& method_of(const LearnedModel& model, Method method);

/// Whether the method lacks the feature, or nothing was simulated.
bool says_nothing(FeatureNames features, std::size_t feature, Method method, bool simulated);

/// Returns all rows, with equal weights for the prior's rows and the GPU's. `model` has the length
/// scales.
MethodRows method_rows(const Shared& shared, const SeenRows& seen, Method method,
                       const LearnedModel& model);

/// Returns the noise variance of the prior's rows that minimizes the error on held-out
/// rows of the GPU.
double prior_noise(const Shared& shared, MethodRows rows);

}  // namespace tilecast
