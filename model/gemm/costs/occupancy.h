// How many CTAs of a configuration live on an SM, and how many workers on the chip.
//
// Registers come from an estimate: accumulators plus what the kernels were seen to need beside them
// (cubins of all three schedules, CUDA 13.0), rounded as the hardware allocates. Leaves out: what a
// new compiler may do. Checked by: occupancy_test.cpp, and against the device by every measured
// row (column ctas_per_sm).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Whether the compiler finds room for the accumulators, and wgmma for its operands. `fused`:
/// registers per thread that the epilogue adds (fused_registers.h).
bool registers_suffice(const GpuSpec& gpu, const KernelConfig& config, i32 fused = 0);

/// CTAs per SM by shared memory alone; `more` bytes of each behind what smem_layout lays out.
i32 ctas_by_shared_memory(const GpuSpec& gpu, const KernelConfig& config, i32 more = 0);

/// Bytes of shared memory that each of `ctas` CTAs of one SM can have.
i32 shared_memory_for_each_of(const GpuSpec& gpu, i32 ctas);

/// CTAs per SM by every limit; 0 where not even one fits.
i32 resident_ctas(const GpuSpec& gpu, const KernelConfig& config);

/// Clusters (or CTAs, without clusters) resident on the whole chip.
i32 resident_workers(const GpuSpec& gpu, const KernelConfig& config);

}  // namespace tilecast
