// The learned correction of an unmeasured kernel: expected log ratio of measured to uncorrected
// cycles and clock, and its uncertainty.
//
// A Gaussian process whose mean is the uncorrected model: each measured row pulls similar kernels
// (gaussian_process.h) towards its own ratio. Far from all rows the correction vanishes, and the
// interval widens to that of an arbitrary kernel. There are two processes over the same rows, for
// the analytic model and for the simulator; neither needs the other. Rankings correct many kernels
// at once:
//
//   const std::optional<LearnedPart> learned = learned_part(gpu, Method::kAnalytic);
//   const std::vector<Learned> corrections = learned->of(features);
//   apply_learned(gpu, corrections[i], regime, inputs, physics, prediction);
//
// Not modelled: relations between kernels, such as the order of two. Checked by: learned_test.cpp;
// held-out measurements (validate).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/clock/phase_clock.h"
#include "model/learn/features.h"
#include "model/learn/gaussian_process.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

// Bounds on the correction, as logarithms. Few measured rows need a larger correction. A kernel
// that seems to need one is not similar to the rows that it uses.
constexpr double kMostOfCycles = 0.4, kMostOfClock = 0.1;

struct Learned {
  double cycles = 0, clock = 0;  // expected log ratio of measured to uncorrected
  // 90 % interval of log(time / predicted time). If not set, the GPU's default.
  struct Interval {
    double low, high;
  };
  std::optional<Interval> interval = {};
  bool extrapolated = false;  // no measured kernel is similar
};

/// A measured row that a correction is based on.
struct LearnedReason {
  const LearnedRow* row;
  std::string_view gpu;          // GPU on which it was measured; empty for the model's GPU
  double likeness;               // similarity; 1 for the same kernel
  double cycles_off, clock_off;  // log(measured / uncorrected prediction)
};

struct LearnedReasons {
  std::vector<LearnedReason> nearest;  // most similar first
  std::size_t similar = 0;             // rows with a similarity of at least 0.7
  std::size_t rows = 0;                // all rows, each weighted by similarity
};

/// Learned correction of one method. Refers to the model that it came from.
class LearnedPart {
 public:
  LearnedPart(const LearnedModel& model, Method method);

  /// Returns the corrections in the order of `kernels`.
  std::vector<Learned> of(std::span<const KernelFeatures> kernels) const;
  Learned of(const KernelFeatures& kernel) const;

  /// Returns the most similar rows, without those that are hardly similar.
  LearnedReasons reasons(const KernelFeatures& kernel, std::size_t most = 3) const;

  /// Standard deviation of log(measured / predicted time) according to the process.
  double deviation(const KernelFeatures& kernel) const;

 private:
  struct Seen;
  Seen see(const KernelFeatures& kernel) const;
  double deviation(const Seen& seen) const;

  const LearnedModel& model_;
  const LearnedMethod& method_;
  Features scale_;  // inverse length scale of each feature
  MeasuredPoints points_;
  std::vector<double> noise_;  // noise variance by row
  // index of the feature that contains the loop's length
  std::size_t depth_;
  std::pair<double, double> range_of_depth_;  // range of the loop's length in the rows
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
