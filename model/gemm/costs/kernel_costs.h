// What the steps of a kernel take on one GPU at one SM clock, in simulated time: every constant of
// the GPU file that the processes use, converted once.
// Checked by: kernel_costs_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/step_costs.h"

namespace tilecast {

/// A chunk of R, the residual.
struct ResidualCosts {
  i64 bytes;                     // 0 without
  SimTime intake, output, dram;  // through the SM's one path; out of L2; from DRAM
  // Where it comes through the ring of stages: stages of a tile, 0 where threads load it; what a
  // stage takes of each warpgroup beyond its chunks; a chunk into shared memory.
  i32 stages;
  SimTime stage, fill;
};

struct KernelCosts {
  MmaCosts mma;  // of one warpgroup's wgmmas of a K block; of tcgen05, a CTA's MMAs
  LoadCosts load;
  StoreCosts store;
  ResidualCosts residual;
  TensorMemoryCosts tensor_memory;
  TileCosts tile;
  LaunchCosts launch;
};

/// Bulk copies of one CTA's slices of a K block: boxes of a slab each, which lies along K, or along
/// N where B is [k, n] (kernels/device/tile_loads.cuh).
i32 bulk_copies(const Tiling& tiling, Layout layout);

/// `ctas` of the grid; `cold`: no kernel ran just before; `sm_clock` of the SMs that it is for.
KernelCosts kernel_costs(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         i32 ctas, bool cold, Hertz sm_clock);

/// What DRAM reads for CTAs that keep to walks of their own: in closed forms, and R in simulations.
BytesPerSecond dram_read_rate(const GpuSpec& gpu);
/// What it reads of A and B in simulations: boxes of rows that lie apart take requests out of
/// DRAM's order once more. Of an H200's kernels; an H100 loses less (validate/data/h100_sxm).
BytesPerSecond dram_box_rate(const GpuSpec& gpu);

/// Rate at which an SM's threads store C where the copy engine cannot, its rows being no multiples
/// of 16 bytes; none where it can.
std::optional<BytesPerCycle> plain_store_rate(const GpuSpec& gpu, const GemmProblem& problem,
                                              const KernelConfig& config);

}  // namespace tilecast
