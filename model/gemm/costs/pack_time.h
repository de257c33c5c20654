// What packing a finished tile for a deferred store takes: the closed forms and the simulator both
// ask. Checked by: closed_form_test.cpp, simulate_test.cpp.
#pragma once

#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/register_plan.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// A CTA's tile to 16-bit pairs in registers, by warpgroups that finish it together.
inline Cycles pack_time(const MachineSpec& machine, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 pairs = t.block_m * t.block_n / 2;
  return Cycles{pairs / machine.pairs_converted};
}

}  // namespace tilecast
