// Converts fp8 operands to fp16 exactly, so that the reference for 16-bit operands can be used.
// `pairs`: number of pairs of elements. Grid-stride loop.
#include "kernels/ptx/convert.cuh"
#include "model/base/integers.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_widen_fp8(const unsigned short* narrow, u32* wide, u64 pairs, i32 type) {
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < pairs; i += stride) {
    wide[i] = ptx::fp16_pair_of(narrow[i], static_cast<ElementType>(type));
  }
}

}  // namespace tilecast
