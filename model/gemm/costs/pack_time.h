// Computes the time to pack a finished tile for a deferred store, for the analytic model and the
// simulator. Checked by: closed_form_test.cpp, simulate_test.cpp.
#pragma once

#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/register_plan.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Time in which all warpgroups that share a CTA's tile pack it into 16-bit pairs in registers.
inline Cycles pack_time(const MachineSpec& machine, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 pairs = t.block_m * t.block_n / 2;
  return Cycles{pairs / machine.pairs_converted};
}

}  // namespace tilecast
