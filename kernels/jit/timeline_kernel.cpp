#include "kernels/jit/timeline_kernel.h"

#include <utility>

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
  TILECAST_CUDA(cudaMemcpy(constant.data(), &buffers, sizeof buffers, cudaMemcpyHostToDevice));
}

}  // namespace tilecast
