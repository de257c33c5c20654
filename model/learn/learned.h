// The learned correction of an unmeasured kernel: expected log ratio of measured to uncorrected
// cycles and clock, and its uncertainty.
//
// Each is a sum of functions of up to four features (trees.h), so that a correction is the sum of
// the contributions of groups of features. There are two corrections, for the analytic model and
// for the simulator; neither needs the other. Rankings correct many kernels at once:
//
//   const std::optional<LearnedPart> learned = learned_part(gpu, Method::kAnalytic);
//   const std::vector<Learned> corrections = learned->of(features);
//   apply_learned(gpu, corrections[i], regime, inputs, physics, prediction);
//
// A kernel of a kind that was not measured, or with a feature outside the measured range, is
// extrapolated: its interval is at least that of an uncorrected kernel. Not modelled: relations
// between kernels, such as the order of two. Checked by: learned_test.cpp; held-out measurements
// (validate).
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/clock/phase_clock.h"
#include "model/learn/features.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

// Bounds on the correction, as logarithms. Few measured rows need a larger correction. A kernel
// that seems to need one is not similar to the rows that it uses.
constexpr double kMostOfCycles = 0.4, kMostOfClock = 0.1;
constexpr double bounded(double log, double most) { return std::clamp(log, -most, most); }

struct Learned {
  double cycles = 0, clock = 0;  // expected log ratio of measured to uncorrected
  // 90 % interval of log(time / predicted time). If not set, the GPU's default.
  struct Interval {
    double low, high;
  };
  std::optional<Interval> interval = {};
  bool extrapolated = false;  // unlike the measured kernels
};

/// Contribution of a group of features to a correction, as logarithms.
struct LearnedContribution {
  std::string_view group;
  double cycles, clock;
};

/// Learned correction of one method. Refers to the model that it came from.
class LearnedPart {
 public:
  LearnedPart(const LearnedModel& model, Method method);

  /// Returns the corrections in the order of `kernels`.
  std::vector<Learned> of(std::span<const KernelFeatures> kernels) const;
  Learned of(const KernelFeatures& kernel) const;

  /// Returns the contributions that add up to the correction, the largest of cycles first.
  /// "all kernels" is the mean correction of the measured kernels.
  std::vector<LearnedContribution> contributions(const KernelFeatures& kernel) const;

 private:
  bool extrapolates(const KernelFeatures& kernel) const;

  const LearnedModel& model_;
  const LearnedMethod& method_;
};

/// Return the correction of one method for GEMMs or for attention; std::nullopt if the GPU has
/// none.
std::optional<LearnedPart> learned_part(const GpuSpec& gpu, Method method);
std::optional<LearnedPart> learned_attention(const GpuSpec& gpu);

/// The corrections that a method needs. A simulation needs both, because it starts from an analytic
/// prediction.
struct LearnedParts {
  std::optional<LearnedPart> analytic, simulated;
};
LearnedParts learned_parts(const GpuSpec& gpu, Method method);

/// Uncorrected cycles of a kernel. A correction concerns delays of tensor operations, so corrected
/// cycles are at least `least` (ClosedForm), unless the uncorrected cycles are already below it.
struct UncorrectedCycles {
  Cycles cycles, least;
};

/// Applies the learned correction to the uncorrected prediction `p`: to the cycles and the clock,
/// and so to power, time and interval. Corrected cycles stay above the hard bounds. All training
/// data were measured with normal inputs; a prediction for other inputs keeps the uncorrected
/// clock, at least that of normal data, and the default interval.
void apply_learned(const GpuSpec& gpu, const Learned& learned, Regime regime, Inputs inputs,
                   const KernelActivity& kernel,
                   const std::function<UncorrectedCycles(Hertz)>& kernel_at, Prediction& p);

}  // namespace tilecast
