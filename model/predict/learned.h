// What was learnt from measured kernels beyond the physics: expected logarithms of measured over
// physics' cycles and clock, and how far they may be off.
//
// One part for closed forms, one for simulation; neither needs the other. It sees a kernel through
// named features only (KernelFeatures), so whatever ranks kernels computes the features at the
// clock where physics settles, asks for many at once, and applies each answer to its prediction:
//
//   const std::optional<LearnedPart> learned = learned_part(gpu, Method::kAnalytic);
//   const std::vector<Learned> answers = learned->of(features);
//   apply_learned(gpu, answers[i], regime, inputs, physics, prediction);
//
// Checked by: corrected_test.cpp; held-out rows (validate).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/predict/corrected.h"

namespace tilecast {

struct KernelFeatures {
  Features values;
  Schedule schedule;
  Limiter limiter;  // by closed form
  Regime regime;
};

/// `form` and `work` are of the configuration at `sm_clock`, where the closed form settles on
/// normal data, whatever the method; `simulated` are its cycles at that clock, 0 where there are
/// none.
KernelFeatures kernel_features(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work,
                               const ClosedForm& form, Hertz sm_clock, Cycles simulated,
                               Regime regime);

struct Learned {
  double cycles = 0, clock = 0;  // logarithms of expected measured over physics'
  // Logarithms of time over predicted time: nine of ten lie between. None: the GPU's default.
  struct Interval {
    double low, high;
  };
  std::optional<Interval> interval = {};
  bool extrapolated = false;  // the kernel is like none that was measured
};

/// One method's. A handle: cheap to copy; refers to the GPU that it came from.
class LearnedPart {
 public:
  explicit LearnedPart(const MethodCorrection& correction) : ready_(correction) {}

  /// In the order of `kernels`; many at once cost less each than one alone.
  std::vector<Learned> of(std::span<const KernelFeatures> kernels) const;
  Learned of(const KernelFeatures& kernel) const;

 private:
  ReadyCorrection ready_;
};

/// Null where the GPU has no calibration, or no measured kernels.
std::optional<LearnedPart> learned_part(const GpuSpec& gpu, Method method);

/// Changes `p`, physics alone, by what was learnt of its kernel: cycles, and the clock that these
/// leave, then clock, power, time, interval. Inputs that are not normal, which nothing was learnt
/// from, keep the physics' clock, but no less than normal data would have, and the default
/// interval.
void apply_learned(const GpuSpec& gpu, const Learned& learned, Regime regime, Inputs inputs,
                   const Physics& physics, Prediction& p);

}  // namespace tilecast
