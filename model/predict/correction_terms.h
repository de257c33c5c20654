// The terms that a calibration's correction is linear in.
//
// Features are what an engineer would look at: where the closed form's time goes, what bounds a K
// block, how large the kernel is, who shares what, the tile, the ring; and, simulated, how far the
// simulation is from the closed form. Terms: every feature, its square, every product of two, and
// for each schedule a constant and a slope of every feature.
//
// Leaves out: anything that is not known before a run. Checked by: correction_terms_test.cpp;
// judged with and without by `validate --no-correction`.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/analytic/closed_form.h"
#include "model/spec/correction.h"
#include "model/tile/regime.h"
#include "model/tile/schedule_text.h"

namespace tilecast {

using Features = std::array<double, kCorrectionFeatures.size()>;

/// `form` and `work` are of the configuration at `sm_clock`; `simulated` 0 where there are none.
Features correction_features(const GemmProblem& problem, const KernelConfig& config,
                             const GemmWork& work, const ClosedForm& form, Hertz sm_clock,
                             Cycles simulated, Regime regime);

/// The terms of features that mean and spread have been taken off; `out` holds one number for each.
void correction_terms(const LinearCorrection& scale, const Features& features, Schedule schedule,
                      std::span<double> out);

/// A correction made ready for many kernels: weights as one table of products and, for each
/// schedule, one row of slopes. Refers to the correction.
class FoldedCorrection {
 public:
  explicit FoldedCorrection(const LinearCorrection& correction);

  /// The logarithm that the correction says, within what `most` allows either way.
  double log_of(const Features& features, Schedule schedule, double most) const;

 private:
  static constexpr std::size_t kRows = 1 + std::size(kWgmmaSchedules);  // the first for others

  const LinearCorrection& correction_;
  double constant_;
  std::array<Features, std::tuple_size_v<Features>> products_{};  // those above the diagonal
  std::array<Features, kRows> linear_{};
  std::array<double, kRows> constants_{};
};

/// The same for one kernel.
double corrected_log(const LinearCorrection& correction, const Features& features,
                     Schedule schedule, double most);

}  // namespace tilecast
