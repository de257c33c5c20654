// The check of an emitted kernel: A, B, a bias and scales are normal(0, 1), C begins as NaN; each
// element is compared with an fp64 sum of the same products and its epilogue, within the rounding
// of C plus what fp32 sums of tensor cores and an activation may be off, and amax with the bounds
// that these give it. Where that would be more than 2^40 multiply-adds, every n-th element of C is
// looked at, and of amax whether it is too small.
#pragma once

#include "kernels/emit/problem.cuh"
#include "kernels/gemm/gemm_args.h"
#include "model/gemm/output/exact_math.h"

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
  if constexpr (Config::Scales::kInMainLoop) {
    return static_cast<double>(scales.a[block * scales.a_stride + m]) *
           static_cast<double>(scales.b[of_b]);
  } else if constexpr (Config::kEpilogue.has(OutputKind::kScale)) {
    constexpr bool kWhole = Config::Scales::kReads.whole > 0;
    return static_cast<double>(scales.a[kWhole ? 0 : m]) *
           static_cast<double>(scales.b[kWhole ? 0 : n]);
  }
  return 1;
}

/// What an element of C is computed of, on the device.
struct Given {
  const Element *a, *b;
  const BiasElement* bias;
  ScaleArgs scales;
  ResultArgs result;
  const i32* group_numbers;
};

/// A number, and how far from it the kernel's may be.
struct Approximate {
  double value, off;
};

/// Of row m and column n of A B, scaled and with the bias. A template, so that steps that the
/// kernel has not are not compiled.
template <class C = Config>
__device__ Approximate sum_of(const Given& given, const Factors& factors, i64 m, i64 n) {
  // Sums of fp8 are cut off, less where those of 128 elements are promoted.
  constexpr double kOfMagnitudes = !kFp8 ? 0x1.2p-18 : Config::kPromoted ? 0x1p-11 : 0x1p-10;
  const Element* const a = given.a + factors.matrix_of_a * (kElementsOfA / kMatricesOfA);
  const Element* const b = given.b + factors.matrix_of_b * (kElementsOfB / kMatricesOfB);
  double sum = 0, magnitude = 0;
  for (i64 k = factors.k_begin; k < factors.k_end; ++k) {
    const i64 at_a = a_is_k_major(kGivenLayout) ? m * kLda + k : k * kLda + m;
    const i64 at_b = b_is_k_major(kGivenLayout) ? n * kLdb + k : k * kLdb + n;
    const double term = static_cast<double>(static_cast<float>(a[at_a])) *
                        static_cast<double>(static_cast<float>(b[at_b])) *
                        scale_of(given.scales, m, n, k, factors.matrix_of_b);
    sum += term;
    magnitude += fabs(term);
  }
  if constexpr (C::kEpilogue.has(OutputKind::kBias)) {
    using Bias = typename C::Bias;
    const double added =
        static_cast<double>(static_cast<float>(given.bias[Bias::kReads.row > 0 ? m : n]));
    sum = Bias::template apply<ExactMath>(sum, added);
    magnitude += fabs(added);
  }
  return {sum, kOfMagnitudes * magnitude};
}

/// Of an element of C, what is scaled to be it. `row`: over all products.
template <class C = Config>
__device__ Approximate result_of(const Given& given, const Factors& factors, i64 row, i64 column) {
  using Activate = typename C::Activate;
  constexpr i64 kTogether = Activate::kColumns;
  const Approximate sum = sum_of(given, factors, row % kM, column * kTogether);
  const double own = Activate::kApproximate ? 0x1p-12 * fabs(sum.value) + 0x1p-15 : 0;
  Approximate result{};
  if constexpr (kTogether == 2) {
    // A factor of 1 leaves what the first column becomes.
    const Approximate other = sum_of(given, factors, row % kM, column * kTogether + 1);
    const Approximate alone{Activate::template apply<ExactMath>(sum.value, 1), sum.off + own};
    const double off_alone = alone.off * fabs(other.value) + other.off * fabs(alone.value);
    result = {Activate::template apply<ExactMath>(sum.value, other.value),
              off_alone + alone.off * other.off};
  } else {
    const auto at = [&](double x) { return Activate::template apply<ExactMath>(x); };
    const double value = at(sum.value);
    const double off =
        fmax(fabs(at(sum.value + sum.off) - value), fabs(at(sum.value - sum.off) - value));
    result = {value, fmax(off, sum.off) + own};
  }
  if constexpr (C::kLoads) {
    using Load = typename C::Load;
    const double element = static_cast<double>(static_cast<float>(
        static_cast<const CElement*>(given.result.residual)[row * kLdc + column]));
    const double value = Load::template apply<ExactMath>(result.value, element);
    const double off = Load::template apply<ExactMath>(result.value + result.off, element);
    result = {value, fabs(off - value)};
  }
  return result;
}

struct Findings {
  unsigned long long wrong;   // elements of C
  u32 least_amax, most_amax;  // bits of floats: between these amax is right
};

/// Looks at every `step`-th element of C; NaN is wrong.
__global__ void compare(Given given, const CElement* c, i64 step, Findings* findings) {
  constexpr double kRounding = TILECAST_C_ROUNDING;
  for (i64 i = (blockIdx.x * i64{blockDim.x} + threadIdx.x) * step; i < kElementsOfC;
       i += i64{gridDim.x} * blockDim.x * step) {
    const i64 row = i / kColumnsOfC, column = i % kColumnsOfC;
    const Factors factors = factors_of(row, given.group_numbers);
    if (!factors.written) {
      continue;
    }
    const Approximate result = result_of(given, factors, row, column);
    if constexpr (Config::kEpilogue.has(OutputKind::kAmax)) {
      const double magnitude = fabs(result.value);
      const double off = result.off + 0x1p-23 * magnitude;
      atomicMax(&findings->least_amax,
                __float_as_uint(__double2float_rd(fmax(magnitude - off, 0.0))));
      atomicMax(&findings->most_amax, __float_as_uint(__double2float_ru(magnitude + off)));
    }
    const double scale =
        given.result.scale_c != nullptr ? static_cast<double>(*given.result.scale_c) : 1;
    double expected = result.value * scale, allowed = result.off * fabs(scale);
    if (Config::kCType == ElementType::kE4m3) {
      expected = fmin(fmax(expected, -448.0), 448.0);
      allowed += 0x1p-10;  // half of what subnormal numbers are apart
    }
    const double error =
        fabs(static_cast<double>(static_cast<float>(c[row * kLdc + column])) - expected);
    if (!(error <= kRounding * fabs(expected) + allowed)) {
      atomicAdd(&findings->wrong, 1ull);
    }
  }
}

}  // namespace tilecast::emitted
