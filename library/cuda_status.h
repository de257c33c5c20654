// Converts CUDA's errors to the library's.
#pragma once

#include "kernels/jit/cuda_error.h"
#include "library/status.h"

namespace tilecast {

template <class Work>
auto with_cuda_status(Work&& work) {
  try {
    return work();
  } catch (const CudaError& error) {
    throw StatusError(TILECAST_CUDA_ERROR, error.what());
  }
}

}  // namespace tilecast
