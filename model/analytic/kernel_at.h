// A kernel and the SM clock that it runs at, with what its steps take there: what every part of a
// closed form asks about. The steps are those that the simulator takes (model/spec/kernel_costs.h).
#pragma once

#include "model/base/sim_time.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/kernel_costs.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct KernelAt {
  const GpuSpec& gpu;
  const GemmProblem& problem;
  const KernelConfig& config;
  Hertz sm_clock;
  KernelCosts costs;
  double ctas, sms;  // at work at the same time: of one SM, and SMs that have any

  Cycles cycles(SimTime time) const { return cycles_of(seconds_of(time), sm_clock); }
  const Tiling& tiling() const { return config.tiling; }
  double warpgroups() const { return warpgroups_per_tile(config.tiling); }
};

}  // namespace tilecast
