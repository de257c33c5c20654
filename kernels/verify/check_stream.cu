// Counts the 32-bit words of C that differ bitwise from A + B, or from A if there is no B. It is an
// independent kernel for problems too large to check on the host. Matrices are contiguous; if C
// ends within a word, the word's first half counts. Grid-stride loop.
#include "kernels/ptx/packed_add.cuh"
#include "model/base/integers.h"

namespace tilecast {

__device__ u32 word_sum(u32 a, u32 b, ElementType type) {
  return type == ElementType::kFp32   ? ptx::packed_add<ElementType::kFp32>(a, b)
         : type == ElementType::kFp16 ? ptx::packed_add<ElementType::kFp16>(a, b)
                                      : ptx::packed_add<ElementType::kBf16>(a, b);
}

/// The buffers of A and B extend past their last element.
extern "C" __global__ void __launch_bounds__(256)
    tilecast_check_stream(const u32* a, const u32* b, const u32* c, u64 bytes, i32 type,
                          u64* wrong) {
  constexpr u32 kFirstHalf = 0xffff;
  const u64 words = (bytes + 3) / 4;
  u64 count = 0;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += stride) {
    const u32 expected = b == nullptr ? a[i] : word_sum(a[i], b[i], static_cast<ElementType>(type));
    const u32 counts = i * 4 + 4 > bytes ? kFirstHalf : ~0u;
    count += ((c[i] ^ expected) & counts) != 0 ? 1 : 0;
  }
  if (count != 0) {
    atomicAdd(wrong, count);
  }
}

}  // namespace tilecast
