// Computes the CTAs per SM of a memory-bound configuration.
//
// Registers are estimated: those that hold a thread's part of a block, plus the overhead found in
// compiled kernels (cubins of the suites' configurations, CUDA 13.0). Not modelled: changes by new
// compilers. Checked by: kernels/jit/stream_kernel_test.cpp (against the compiled kernels), column
// ctas_per_sm of every measured row.
#pragma once

#include "model/spec/gpu_spec.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// Registers per thread if launch bounds do not limit them.
i32 stream_registers(const StreamConfig& config, ElementType dtype);

/// Whether a thread has enough registers with the requested CTAs per SM, which limit the compiler.
bool stream_registers_suffice(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

/// CTAs that fit on one SM, limited only by resources; 0 if not even one fits.
i32 fitting_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

/// Number of CTAs resident on one SM. Orders with a CTA per block or band fill the SM; orders with
/// resident CTAs launch the requested number.
i32 resident_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

SmSharedMemory shared_memory_of(const GpuSpec& gpu);

}  // namespace tilecast
