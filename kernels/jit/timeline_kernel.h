// The instrumented build of a GEMM kernel, which records when each role worked on each tile
// (kernels/device/timeline.cuh).
#pragma once

#include "kernels/gemm/timeline_stamps.h"
#include "kernels/jit/loaded_kernel.h"

namespace tilecast {

/// Sets the output of later launches of `kernel`. Must be called before the first launch.
void set_timeline_buffers(const LoadedKernel& kernel, const TimelineBuffers& buffers);

}  // namespace tilecast
