// Computes the step times of a kernel on one GPU at one SM clock, in simulated time: converts every
// constant of the GPU file that the processes use once. Checked by: kernel_costs_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/step_costs.h"

namespace tilecast {

/// Costs of a chunk of the residual R.
struct ResidualCosts {
  i64 bytes;                     // 0 without a residual
  SimTime intake, output, dram;  // SM fill; L2 output; DRAM
  // If R comes through the pipeline stages: stages per tile (0 if threads load it), the overhead of
  // a stage per warpgroup in addition to its chunks, and the time of a chunk into shared memory.
  i32 stages;
  SimTime stage, fill;
};

struct KernelCosts {
  MmaCosts mma;  // one warpgroup's wgmmas of a K block; for tcgen05, the MMAs of a CTA
  LoadCosts load;
  StoreCosts store;
  ResidualCosts residual;
  TensorMemoryCosts tensor_memory;
  TileCosts tile;
  LaunchCosts launch;
};

/// Number of bulk copies for one CTA's slices of a K block: one box per slab, along K, or along N
/// if B is [K,N] (kernels/device/tile_loads.cuh).
i32 bulk_copies(const Tiling& tiling, Layout layout);

/// `ctas`: grid size. `cold`: no kernel ran just before. `sm_clock`: clock at which cycles are
/// converted.
KernelCosts kernel_costs(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         i32 ctas, bool cold, Hertz sm_clock);

/// DRAM read rate if CTAs have independent access streams. Used in the analytic model, and for R in
/// simulations.
BytesPerSecond dram_read_rate(const GpuSpec& gpu);
/// DRAM read rate of A and B in simulations: boxes of separate rows add another source of
/// out-of-order requests. Calibrated on an H200; an H100 loses less (validate/data/h100_sxm).
BytesPerSecond dram_box_rate(const GpuSpec& gpu);

/// Rate at which an SM's threads store C if its rows are not multiples of 16 bytes;
/// std::nullopt if the copy engine stores C.
std::optional<BytesPerCycle> plain_store_rate(const GpuSpec& gpu, const GemmProblem& problem,
                                              const KernelConfig& config);

}  // namespace tilecast
