// About what a kernel takes by closed form, corrected: cheap enough for every kernel of the menu.
//
// All kernels are looked at one clock, that of a good one, and the clock that each leaves is worked
// out once from there, instead of settled. One that is far slower than the good one has a bound in
// place of its time: no correction could make it faster.
// Checked by: rough_time_test.cpp (against what kernels take).
#pragma once

#include <limits>

#include "model/analytic/closed_form.h"
#include "model/predict/corrected.h"

namespace tilecast {

class RoughTime {
 public:
  /// Refers to what it is given.
  RoughTime(const GpuSpec& gpu, const ReadyCorrection& correction, const GemmProblem& problem,
            Regime regime, Inputs inputs);

  /// Kernels are looked at where this one runs from here on.
  void look_where(const KernelConfig& good, const GemmWork& work);

  Seconds of(const KernelConfig& config, const GemmWork& work) const;

 private:
  const GpuSpec& gpu_;
  const ReadyCorrection& correction_;
  const GemmProblem& problem_;
  Regime regime_;
  Inputs inputs_;
  Hertz at_;
  Seconds good_{std::numeric_limits<double>::infinity()};
};

}  // namespace tilecast
