// The build of a GEMM kernel that writes down when each role worked on each tile
// (kernels/device/timeline.cuh).
#pragma once

#include "kernels/gemm/timeline_stamps.h"
#include "kernels/jit/compile.h"
#include "kernels/jit/loaded_kernel.h"

namespace tilecast {

/// `ordinary` as gemm_source gives it.
KernelSource timeline_source(KernelSource ordinary);

/// Where launches of `kernel` after this one write. Must be called before the first.
void set_timeline_buffers(const LoadedKernel& kernel, const TimelineBuffers& buffers);

}  // namespace tilecast
