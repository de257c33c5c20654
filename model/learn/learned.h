// What measured kernels say of one that was not measured: expected logarithms of measured over
// physics' cycles and clock, and how far they may be off.
//
// A Gaussian process whose mean is the physics: each measured row pulls kernels that are like it
// (gaussian_process.h) by what it was off; far from all rows nothing is pulled, and the interval
// grows to what kernels are off at large. Two processes, for closed forms and for simulation, over
// the same rows; neither needs the other. Whatever ranks kernels asks for many at once:
//
//   const std::optional<LearnedPart> learned = learned_part(gpu, Method::kAnalytic);
//   const std::vector<Learned> answers = learned->of(features);
//   apply_learned(gpu, answers[i], regime, inputs, physics, prediction);
//
// Leaves out: what the order of two kernels would say of a third. Checked by: learned_test.cpp;
// held-out rows (validate).
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

// Logarithms, beyond which nothing learned moves a prediction: few measured rows are that far off,
// and a kernel that seems to be is not like the rows that it leans on.
constexpr double kMostOfCycles = 0.4, kMostOfClock = 0.1;

struct Learned {
  double cycles = 0, clock = 0;  // logarithms of expected measured over physics'
  // Logarithms of time over predicted time: nine of ten lie between. None: the GPU's default.
  struct Interval {
    double low, high;
  };
  std::optional<Interval> interval = {};
  bool extrapolated = false;  // the kernel is like none that was measured
};

/// A measured row that an answer leans on.
struct LearnedReason {
  const LearnedRow* row;
  std::string_view gpu;          // that it was measured on; empty: the model's own
  double likeness;               // 1: the same kernel
  double cycles_off, clock_off;  // what it was measured over physics, as logarithms
};

struct LearnedReasons {
  std::vector<LearnedReason> nearest;  // the most like it first
  std::size_t similar = 0;             // rows whose likeness is 0.7 or more
  std::size_t rows = 0;                // all, each of which counts by its likeness
};

/// One method's. Refers to the model that it came from.
class LearnedPart {
 public:
  LearnedPart(const LearnedModel& model, Method method);

  /// In the order of `kernels`.
  std::vector<Learned> of(std::span<const KernelFeatures> kernels) const;
  Learned of(const KernelFeatures& kernel) const;

  /// The rows most like it; none that is hardly like it.
  LearnedReasons reasons(const KernelFeatures& kernel, std::size_t most = 3) const;

  /// Standard deviation of the logarithm of measured over predicted time, by the process alone.
  double deviation(const KernelFeatures& kernel) const;

 private:
  struct Seen;
  Seen see(const KernelFeatures& kernel) const;
  double deviation(const Seen& seen) const;

  const LearnedModel& model_;
  const LearnedMethod& method_;
  Features scale_;  // of a feature, to lengths
  MeasuredPoints points_;
  std::vector<double> noise_;             // of each row
  std::pair<double, double> range_of_k_;  // logarithms
};

/// None where the GPU has no calibration, or no measured kernels.
std::optional<LearnedPart> learned_part(const GpuSpec& gpu, Method method);

/// What a prediction by a method takes: a simulation begins with closed forms.
struct LearnedParts {
  std::optional<LearnedPart> analytic, simulated;
};
LearnedParts learned_parts(const GpuSpec& gpu, Method method);

/// Changes `p`, physics alone, by what was learned of its kernel: cycles, and the clock that these
/// leave, then clock, power, time, interval. Physics has it that `kernel` takes `cycles_at`; what
/// was learned takes no kernel below its hard bounds. Inputs that are not normal, which nothing was
/// learned from, keep the physics' clock, but no less than normal data would have, and the default
/// interval.
void apply_learned(const GpuSpec& gpu, const Learned& learned, Regime regime, Inputs inputs,
                   const KernelActivity& kernel, const std::function<Cycles(Hertz)>& cycles_at,
                   Prediction& p);

}  // namespace tilecast
