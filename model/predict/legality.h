// Which configurations can run: on this GPU, on this problem. The kernels' own rules, the
// hardware's limits, and the contract's alignment rules; each refusal has one reason word that is
// counted.
#pragma once

#include <string>
#include <string_view>

#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

enum class Refusal {
  kNone,
  kSchedule,    // keys that this schedule does not have: clusters, rasters, wgmmas in flight
  kWgmmaShape,  // tile not made of whole wgmmas, or K blocks not of whole swizzle rows
  kTmaBox,      // a bulk copy's box would break the swizzle or the 256-row limit
  kRegisters,
  kSharedMemory,
  kOccupancy,  // the promised CTAs per SM do not fit
  kCluster,    // more than one worker of this cluster shape does not fit the chip
};

std::string_view to_text(Refusal refusal);

/// Reason why no kernel of tilecast solves this problem, whatever the configuration; else empty.
std::string why_not_solvable(const GemmProblem& problem);

/// Assumes a GPU on which schedules run and a solvable problem.
Refusal check_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
