#include "kernels/jit/timeline_kernel.h"

#include "kernels/jit/copy_to_device.h"
#include "kernels/jit/cuda_error.h"
#include "model/base/error.h"

namespace tilecast {

void set_timeline_buffers(const LoadedKernel& kernel, const TimelineBuffers& buffers) {
  const std::span<std::byte> constant = kernel.global("tilecast_timeline");
  TILECAST_ASSERT(constant.size() == sizeof buffers);
  copy_to_device(constant.data(), std::span(&buffers, 1));
}

}  // namespace tilecast
