// GEMM of fp8 matrices with block scales (ScaleBlock), from elements widened to fp16, with one
// thread per element of C. The 128 multiply-adds of a K block are summed in fp32, accurate to 2^-17
// of their magnitude, and the blocks in fp64. Unscaled references are checked separately; this
// kernel is simple enough to verify by reading.
#include "kernels/ptx/convert.cuh"
#include "model/base/integers.h"
#include "model/gemm/output/exact_math.h"
#include "model/gemm/output/scales.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_scaled_reference(const unsigned short* a, const unsigned short* b,
                              const float* a_scales, const float* b_scales, u64 a_stride,
                              u64 b_stride, float* c, u64 m, u64 n, u64 k, u64 lda, u64 ldb) {
  constexpr u64 kSide = 16;
  __shared__ float a_part[kSide][kSide + 1], b_part[kSide][kSide + 1];
  const u64 x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const u64 across = (n + kSide - 1) / kSide, down = (m + kSide - 1) / kSide;
  const auto element = [k](const unsigned short* matrix, u64 ld, u64 rows, u64 row, u64 at) {
    return row < rows && at < k ? ptx::value_of_bits(matrix[row * ld + at], ElementType::kFp16) : 0;
  };
  for (u64 tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
    const u64 row = tile / across * kSide, column = tile % across * kSide;
    double sum = 0;
    for (u64 block = 0; block * scale_block() < k; ++block) {
      float of_block = 0;
      for (u64 first = block * scale_block(); first < (block + 1) * scale_block(); first += kSide) {
        a_part[y][x] = element(a, lda, m, row + y, first + x);
        b_part[y][x] = element(b, ldb, n, column + y, first + x);
        __syncthreads();
        for (u64 i = 0; i < kSide; ++i) {
          of_block = fmaf(a_part[y][i], b_part[x][i], of_block);
        }
        __syncthreads();
      }
      if (row + y < m && column + x < n) {
        sum += ScaleBlock::apply<ExactMath>(
            static_cast<double>(of_block),
            static_cast<double>(a_scales[block * a_stride + row + y]),
            static_cast<double>(b_scales[(column + x) / scale_block() * b_stride + block]));
      }
    }
    if (row + y < m && column + x < n) {
      c[(row + y) * n + column + x] = static_cast<float>(sum);
    }
  }
}

}  // namespace tilecast
