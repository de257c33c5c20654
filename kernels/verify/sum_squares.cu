// Computes the squared norm and largest magnitude of a reference without its infinities, once per
// problem.
#include "kernels/verify/check_output.h"
#include "kernels/verify/warp_sum.cuh"
#include "model/base/integers.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_sum_squares(const float* values, u64 count, OutputCheck* check) {
  double sum = 0;
  float largest = 0;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (!isinf(values[i])) {
      sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
      largest = fmaxf(largest, fabsf(values[i]));
    }
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&check->reference_squares, sum);
  }
  atomicMax(&check->largest_reference, __float_as_uint(largest));
}

}  // namespace tilecast
