// A CUDA event: a point in a stream and the time at which the GPU reached it.
#pragma once

#include "model/base/units.h"
#include "validate/measure/device_memory.h"

namespace tilecast {

class CudaEvent {
 public:
  CudaEvent() { TILECAST_CUDA(cudaEventCreate(&event_)); }
  ~CudaEvent() { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  void record(cudaStream_t stream) const { TILECAST_CUDA(cudaEventRecord(event_, stream)); }

  bool passed() const {
    const cudaError_t state = cudaEventQuery(event_);
    if (state != cudaErrorNotReady) {
      TILECAST_CUDA(state);
    }
    return state == cudaSuccess;
  }

  /// Both events must have completed.
  Seconds since(const CudaEvent& earlier) const {
    constexpr double kSecondsPerMillisecond = 1e-3;
    float milliseconds = 0;
    TILECAST_CUDA(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
    return {static_cast<double>(milliseconds) * kSecondsPerMillisecond};
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace tilecast
