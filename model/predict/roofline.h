// Computes the baseline that every other model must beat: peak rates and whole waves of tiles. A
// memory-bound kernel takes its bytes / DRAM bandwidth. For GEMM:
//
//   tiles = ceil(M / block_m) * ceil(N / block_n)
//   waves = ceil(tiles / SMs)
//   time  = max(waves * 2 block_m block_n K / (tensor rate of one SM * highest clock),
//               (bytes of A + B + C) / DRAM bandwidth)
//
// Not modelled: latency, L2, epilogue, launch, occupancy, power, which model/gemm/form covers.
// Checked by: roofline_test.cpp.
#pragma once

#include <optional>

#include "model/base/units.h"
#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Returns nullopt if the GPU file lacks a tensor rate, a clock or a DRAM bandwidth.
std::optional<Seconds> roofline_time(const GpuSpec& gpu, const AnyProblem& problem,
                                     const AnyConfig& config);
/// Roofline of the problem, independent of tile quantization.
std::optional<Seconds> roofline_time(const GpuSpec& gpu, const AnyProblem& problem);

}  // namespace tilecast
