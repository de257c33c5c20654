// Values from the host into a device's memory, there for every stream when the call returns.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "kernels/jit/cuda_error.h"

namespace tilecast {

/// cudaMemcpy alone may return while pageable memory is still on its way to `to`, and streams that
/// do not block do not wait for it.
template <class T>
void copy_to_device(void* to, std::span<const T> values) {
  TILECAST_CUDA(cudaMemcpy(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  TILECAST_CUDA(cudaStreamSynchronize(nullptr));
}

}  // namespace tilecast
