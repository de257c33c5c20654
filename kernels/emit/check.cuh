// The check of an emitted kernel: A, B, a bias and scales are normal(0, 1), C begins as NaN; each
// element is compared with an fp64 sum of the same products and its epilogue, within the rounding
// of C plus what fp32 sums of tensor cores and an activation may be off. Where that would be more
// than 2^40 multiply-adds, every n-th element of C is.
#pragma once

#include "kernels/emit/problem.cuh"
#include "kernels/gemm/gemm_args.h"
#include "model/tile/activation_reference.h"

namespace tilecast::emitted {

/// normal(0, 1) by Box-Muller from a counter (the finaliser of splitmix64).
template <class T>
__global__ void fill(T* values, i64 count, u64 seed) {
  for (i64 i = blockIdx.x * i64{blockDim.x} + threadIdx.x; i < count;
       i += i64{gridDim.x} * blockDim.x) {
    u64 bits = seed + static_cast<u64>(i + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    bits ^= bits >> 31;
    const float first = (static_cast<float>(static_cast<u32>(bits) >> 8) + 1.0f) / 16777216.0f;
    const float second = static_cast<float>(bits >> 40) / 16777216.0f;
    values[i] = static_cast<T>(sqrtf(-2.0f * logf(first)) * cospif(2.0f * second));
  }
}

/// Of the product of two elements, that of B of so many matrices behind the first.
__device__ double scale_of(const ScaleArgs& scales, i64 m, i64 n, i64 k, i64 matrix_of_b) {
  const i64 block = k / scale_block();
  const i64 row = matrix_of_b * ceil_div<i64>(kN, scale_block()) + n / scale_block();
  const i64 of_b = row * scales.b_stride + block;
  switch (fused().scales) {
    case Scales::kTensor:
      return static_cast<double>(*scales.a) * static_cast<double>(*scales.b);
    case Scales::kRow:
      return static_cast<double>(scales.a[m]) * static_cast<double>(scales.b[n]);
    case Scales::kBlock:
      return static_cast<double>(scales.a[block * scales.a_stride + m]) *
             static_cast<double>(scales.b[of_b]);
    default:
      return 1;
  }
}

/// Counts the elements of C, every `step`-th, that are wrong; NaN is.
__global__ void compare(const Element* a, const Element* b, const CElement* c,
                        const BiasElement* bias, ScaleArgs scales, ResultArgs result,
                        const i32* group_numbers, i64 step, unsigned long long* wrong) {
  const double rounding = TILECAST_C_ROUNDING;
  const double sums = kFp8 ? 0x1p-10 : 0x1.2p-18;  // of products' magnitudes; fp8's are cut off
  for (i64 i = (blockIdx.x * i64{blockDim.x} + threadIdx.x) * step; i < kElementsOfC;
       i += i64{gridDim.x} * blockDim.x * step) {
    const i64 m = i / kColumnsOfC % kM;
    constexpr i64 kTogether = gates(fused()) ? 2 : 1;
    const Factors factors = factors_of(i / kColumnsOfC, group_numbers);
    if (!factors.written) {
      continue;
    }
    const Element* const of_a = a + factors.matrix_of_a * (kElementsOfA / kMatricesOfA);
    const Element* const of_b = b + factors.matrix_of_b * (kElementsOfB / kMatricesOfB);
    constexpr Epilogue kEpilogue = fused();
    double value[2] = {}, wide[2] = {}, off[2] = {};  // of columns together: results, errors
    for (i64 which = 0; which < kTogether; ++which) {
      const i64 n = i % kColumnsOfC * kTogether + which;
      double sum = 0, magnitude = 0;
      for (i64 k = factors.k_begin; k < factors.k_end; ++k) {
        const i64 at_a = a_is_k_major(kLayout) ? m * kLda + k : k * kLda + m;
        const i64 at_b = b_is_k_major(kLayout) ? n * kLdb + k : k * kLdb + n;
        const double term = static_cast<double>(static_cast<float>(of_a[at_a])) *
                            static_cast<double>(static_cast<float>(of_b[at_b])) *
                            scale_of(scales, m, n, k, factors.matrix_of_b);
        sum += term;
        magnitude += fabs(term);
      }
      if (bias != nullptr) {
        const double added =
            static_cast<double>(static_cast<float>(bias[kEpilogue.bias == Bias::kPerRow ? m : n]));
        sum += added;
        magnitude += fabs(added);
      }
      wide[which] = sum;
      off[which] = sums * magnitude;
      value[which] = which == 0 ? activated(gate_of(kEpilogue.activation), sum) : sum;
    }
    constexpr bool kApproximate =  // kernels/device/activation.cuh
        kEpilogue.activation != Activation::kNone && kEpilogue.activation != Activation::kRelu;
    double expected = value[0];
    double allowed = off[0] + (kApproximate ? 0x1p-12 * fabs(wide[0]) + 0x1p-15 : 0);
    if (kTogether == 2) {
      expected *= value[1];
      allowed = allowed * fabs(value[1]) + off[1] * fabs(value[0]) + allowed * off[1];
    }
    const i64 at = i / kColumnsOfC * kLdc + i % kColumnsOfC;
    if (result.residual != nullptr) {
      expected += static_cast<double>(
          static_cast<float>(static_cast<const CElement*>(result.residual)[at]));
    }
    const double scale = result.scale_c != nullptr ? static_cast<double>(*result.scale_c) : 1;
    expected *= scale;
    if (kCType == ElementType::kE4m3) {
      expected = fmin(fmax(expected, -448.0), 448.0);
      allowed += 0x1p-10;
    }
    const double error = fabs(static_cast<double>(static_cast<float>(c[at])) - expected);
    if (!(error <= rounding * fabs(expected) + allowed * fabs(scale))) {
      atomicAdd(wrong, 1ull);
    }
  }
}

}  // namespace tilecast::emitted
