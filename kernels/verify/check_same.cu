// Counts the 16-bit elements that differ bitwise from those of another run.
#include "model/base/integers.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_check_same(const unsigned short* elements, const unsigned short* expected, u64 count,
                        u64* different) {
  u64 found = 0;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    found += elements[i] != expected[i] ? 1 : 0;
  }
  if (found != 0) {
    atomicAdd(different, found);
  }
}

}  // namespace tilecast
