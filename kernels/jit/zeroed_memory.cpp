#include "kernels/jit/zeroed_memory.h"

#include <cuda_runtime_api.h>

#include "kernels/jit/cuda_error.h"

namespace tilecast {

void ZeroedMemory::Free::operator()(void* pointer) const { cudaFree(pointer); }

ZeroedMemory::ZeroedMemory(std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  void* pointer = nullptr;
  TILECAST_CUDA(cudaMalloc(&pointer, bytes));
  pointer_.reset(pointer);
  TILECAST_CUDA(cudaMemset(pointer, 0, bytes));
  TILECAST_CUDA(cudaStreamSynchronize(nullptr));  // other streams do not wait for this one
}

}  // namespace tilecast
