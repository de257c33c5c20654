// The trivial model every other must beat: peak rates and nothing else, but whole waves of tiles.
// A memory-bound kernel takes its bytes over the DRAM bandwidth. For GEMM:
//
//   tiles = ceil(M / block_m) * ceil(N / block_n)
//   waves = ceil(tiles / SMs)
//   time  = max(waves * 2 block_m block_n K / (tensor rate of one SM * highest clock),
//               (bytes of A + B + C) / DRAM bandwidth)
//
// Leaves out latency, L2, epilogue, launch, occupancy, power: everything model/gemm/form is for.
// Checked by: roofline_test.cpp.
#pragma once

#include <optional>

#include "model/base/units.h"
#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Nothing where the GPU file lacks a tensor rate, a clock or a DRAM bandwidth.
std::optional<Seconds> roofline_time(const GpuSpec& gpu, const AnyProblem& problem,
                                     const AnyConfig& config);

}  // namespace tilecast
