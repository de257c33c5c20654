// Computes the resident CTAs per SM, and workers per chip, of a configuration.
//
// Registers are estimated: accumulators plus the maximum of the other registers in compiled kernels
// (cubins of all schedules, CUDA 13.0), rounded to the allocation unit. Not modelled: other
// compiler versions. Checked by: occupancy_test.cpp, and by column ctas_per_sm of every
// measurement.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Whether accumulators and wgmma operands fit in the registers. `fused`: registers per thread
/// added by the epilogue (fused_registers.h).
bool registers_suffice(const GpuSpec& gpu, const KernelConfig& config, i32 fused = 0);

/// CTAs per SM that shared memory allows; `more`: bytes per CTA in addition to smem_layout.
i32 ctas_by_shared_memory(const GpuSpec& gpu, const KernelConfig& config, i32 more = 0);

/// Shared memory available to each of `ctas` CTAs on an SM.
i32 shared_memory_for_each_of(const GpuSpec& gpu, i32 ctas);

/// CTAs per SM by all limits; 0 if not even one fits.
i32 resident_ctas(const GpuSpec& gpu, const KernelConfig& config);

/// Clusters (or CTAs, without clusters) resident on the whole chip.
i32 resident_workers(const GpuSpec& gpu, const KernelConfig& config);

}  // namespace tilecast
