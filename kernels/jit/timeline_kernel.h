// The build of a GEMM kernel that writes down when each role worked on each tile
// (kernels/device/timeline.cuh).
#pragma once

#include "kernels/gemm/timeline_stamps.h"
#include "kernels/jit/loaded_kernel.h"

namespace tilecast {

/// Where launches of `kernel` after this one write. Must be called before the first.
void set_timeline_buffers(const LoadedKernel& kernel, const TimelineBuffers& buffers);

}  // namespace tilecast
