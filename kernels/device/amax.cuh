// Finds the largest magnitude of a result: per thread over a tile, then per warp in global memory.
// Checked by: validate/measure/gemm/epilogue_test.cpp.
#pragma once

#include "kernels/gemm/gemm_config.h"

namespace tilecast {

template <class Config, bool kWanted = Config::kFindsAmax>
class AmaxPart {
 public:
  __device__ void begin() {}
  __device__ void take(float, bool) {}
  __device__ void publish(const Args<Config>&) {}
};

template <class Config>
class AmaxPart<Config, true> {
 public:
  __device__ void begin() { largest_ = 0; }
  /// Includes `value` if it is inside C.
  __device__ void take(float value, bool in_bounds) {
    const u32 magnitude = Amax::magnitude(__float_as_uint(value));
    largest_ = in_bounds && magnitude > largest_ ? magnitude : largest_;
  }
  /// Called by whole warps.
  __device__ void publish(const Args<Config>& args) {
    const u32 of_warp = __reduce_max_sync(0xffffffffu, largest_);
    if (threadIdx.x % 32 == 0) {
      atomicMax(args.result.amax, of_warp);
    }
    largest_ = 0;
  }

 private:
  u32 largest_;  // bit pattern of the largest magnitude so far
};

}  // namespace tilecast
