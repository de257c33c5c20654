// Checks an fp32 product against fp64 dot products, one warp per element of C. Checks every element
// if `samples` covers C, otherwise elements chosen by a hash. Shares no code with the other GEMMs.
//
// Bound: |error| <= (2^-18 + k / 16 * 2^-23) * sum |a b|. The tensor core adds 16 products at a
// time to an fp32 sum and may truncate the sum's last bit each time; a wrong element differs by
// about sum |a b| / sqrt(k), far above the bound.
#include "kernels/ptx/convert.cuh"
#include "kernels/verify/check_output.h"
#include "kernels/verify/warp_sum.cuh"
#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_reference_gemm(const unsigned short* a, const unsigned short* b, const float* product,
                            u64 m, u64 n, u64 k, u64 lda, u64 ldb, i32 type, i32 layout,
                            u64 samples, ReferenceCheck* check) {
  const ElementType element_type = static_cast<ElementType>(type);
  const bool a_along_k = a_is_k_major(static_cast<Layout>(layout));
  const bool b_along_k = b_is_k_major(static_cast<Layout>(layout));
  const u64 lane = threadIdx.x % 32;
  const u64 warps = static_cast<u64>(gridDim.x) * (blockDim.x / 32);
  const u64 elements = m * n;
  for (u64 sample = static_cast<u64>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
       sample < samples; sample += warps) {
    const u64 mixed = (sample + 1) * 0x9e3779b97f4a7c15ull;
    const u64 index = samples >= elements ? sample % elements : (mixed ^ (mixed >> 29)) % elements;
    const u64 row = index / n, column = index % n;
    double sum = 0, magnitude = 0;
    for (u64 i = lane; i < k; i += 32) {
      const u64 at_a = a_along_k ? row * lda + i : i * lda + row;
      const u64 at_b = b_along_k ? column * ldb + i : i * ldb + column;
      const double term = static_cast<double>(ptx::value_of_bits(a[at_a], element_type)) *
                          static_cast<double>(ptx::value_of_bits(b[at_b], element_type));
      sum += term;
      magnitude += fabs(term);
    }
    sum = warp_sum(sum);
    magnitude = warp_sum(magnitude);
    if (lane != 0) {
      continue;
    }
    const double bound = (1.0 / 262144.0 + static_cast<double>(k) / 16.0 / 8388608.0) * magnitude;
    if (!(fabs(static_cast<double>(product[index]) - sum) <= bound)) {
      atomicAdd(&check->wrong, u64{1});
      atomicMin(&check->first_wrong, index);
    }
    atomicAdd(&check->checked, u64{1});
  }
}

}  // namespace tilecast
