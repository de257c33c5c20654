// The equations of one method: a GPU's own rows and those of a prior, features in lengths, and what
// physics leaves of them in spreads.
// Checked by: fit_learned_test.cpp.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "model/rank/prediction.h"
#include "validate/calibrate/prior_rows.h"
#include "validate/calibrate/process_weights.h"
#include "validate/calibrate/seen_rows.h"

namespace tilecast {

/// What the two methods share.
struct Shared {
  const FitRows& rows;
  const LearnedModel* before;  // that the prior's rows are of
  PriorRows prior;
  std::vector<int> fold;  // by problem: of own rows, then of the prior's
  int folds;
  std::vector<Eigen::Index> kept;  // own ones, then all of the prior's
  Eigen::VectorXd noise;           // of own rows, then of the prior's
  bool simulated;
  unsigned threads;

  Eigen::Index own() const { return static_cast<Eigen::Index>(rows.rows.size()); }
  Eigen::Index others() const { return static_cast<Eigen::Index>(prior.count()); }
};

/// One method's rows, own ones and then the prior's, which are moved to the own ones' level.
struct MethodRows {
  Method method;
  Eigen::VectorXd off[2], shift;  // of cycles and clock, as logarithms
  double spread[2];
  ProcessRows process;
  Eigen::MatrixXd by_prior;  // what the prior's rows alone say of left-out own ones, at that level
};

/// A row each.
Eigen::MatrixXd matrix_of(const std::vector<KernelFeatures>& features);

/// Of numbers whose mean is to be 0.
double spread_about_0(const Eigen::VectorXd& logs);

/// Off in spreads, cut where they are far.
Eigen::VectorXd targets_of(const Eigen::VectorXd& off, double spread);

/// Of own rows, then of the prior's, as if they were own ones.
Eigen::VectorXd noise_of(const FitRows& rows, const PriorRows& prior);

const LearnedMethod& method_of(const LearnedModel& model, Method method);

/// Whether the method does not see the feature, or nothing was simulated.
bool says_nothing(std::size_t feature, Method method, bool simulated);

/// The prior's rows count as much as own ones; `model` has the lengths.
MethodRows method_rows(const Shared& shared, const SeenRows& seen, Method method,
                       const LearnedModel& model);

/// The variance of the prior's rows by which left-out own rows are expected best.
double prior_noise(const Shared& shared, MethodRows rows);

}  // namespace tilecast
