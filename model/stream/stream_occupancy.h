// How many CTAs of a memory-bound configuration live on an SM.
//
// Registers come from an estimate: what a thread holds of a block, plus what the kernels were seen
// to need beside it (cubins of the suites' configurations, CUDA 13.0). Leaves out: what a new
// compiler may do. Checked by: kernels/jit/stream_kernel_test.cpp (against the compiled kernels),
// column ctas_per_sm of every measured row.
#pragma once

#include "model/spec/gpu_spec.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// Of a thread, as the compiler would have them if nothing bounded it.
i32 stream_registers(const StreamConfig& config, ElementType dtype);

/// Whether the promise of CTAs per SM, which bounds the compiler, leaves a thread that many.
bool stream_registers_suffice(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

/// CTAs that fit on one SM, whatever was promised; 0 where not even one does.
i32 fitting_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

/// CTAs that live on one SM: orders with a CTA per block or band fill it, the resident orders keep
/// to what was promised.
i32 resident_stream_ctas(const GpuSpec& gpu, const StreamConfig& config, ElementType dtype);

SmSharedMemory shared_memory_of(const GpuSpec& gpu);

}  // namespace tilecast
