#include "kernels/jit/timeline_kernel.h"

#include <utility>

#include "kernels/jit/copy_to_device.h"
#include "kernels/jit/cuda_error.h"
#include "model/base/error.h"

namespace tilecast {

KernelSource timeline_source(KernelSource ordinary) {
  ordinary.defines.emplace_back("TILECAST_TIMELINE=1");
  return ordinary;
}

void set_timeline_buffers(const LoadedKernel& kernel, const TimelineBuffers& buffers) {
  const std::span<std::byte> constant = kernel.global("tilecast_timeline");
  TILECAST_ASSERT(constant.size() == sizeof buffers);
  copy_to_device(constant.data(), std::span(&buffers, 1));
}

}  // namespace tilecast
