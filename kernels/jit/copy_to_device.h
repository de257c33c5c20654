// Copies host values to device memory, visible to every stream when the call returns.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "kernels/jit/cuda_error.h"

namespace tilecast {

/// cudaMemcpy alone may return before pageable memory has arrived at `to`, and non-blocking streams
/// do not wait for it.
template <class T>
void copy_to_device(void* to, std::span<const T> values) {
  TILECAST_CUDA(cudaMemcpy(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  TILECAST_CUDA(cudaStreamSynchronize(nullptr));
}

}  // namespace tilecast
