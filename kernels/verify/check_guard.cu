// Counts the words of a guard band that a kernel has overwritten.
#include "kernels/verify/check_output.h"
#include "model/base/integers.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_check_guard(const u32* words, u64 count, OutputCheck* check) {
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (words[i] != 0xffffffffu) {
      atomicAdd(&check->guard_changed, u64{1});
    }
  }
}

}  // namespace tilecast
