// Compares elements of C with a reference in fp64, epilogue included. The tolerance is the rounding
// of C plus the error of fp32 accumulation and of the activation; amax must be within the bounds
// that follow from it. If all elements would take more than 2^40 multiply-adds, only every kStep-th
// is checked.
#pragma once

#include <bit>
#include <limits>

#include "kernels/emit/findings.cuh"
#include "kernels/emit/gemm_buffers.cuh"
#include "model/gemm/output/exact_math.h"

namespace tilecast::emitted {

/// Selects the matrices of A and B, and the range of K, whose dot product is an element of C.
struct Factors {
  i64 matrix_of_a, matrix_of_b, k_begin, k_end;
  bool written;  // false for unused capacity of a masked group
};

/// Returns the factors of an element. `row`: its row in C, counted over all GEMMs. `numbers`: the
/// groups' numbers, in device memory.
__device__ inline Factors factors_of(i64 row, const i32* numbers) {
  const i64 product = row / kSideM;
  if constexpr (Config::kGroupedAlongK) {
    return {0, 0, product == 0 ? 0 : numbers[product - 1], numbers[product], true};
  } else if constexpr (kCapacity > 0) {
    return {0, row / kCapacity, 0, kSideK, row % kCapacity < numbers[row / kCapacity]};
  } else if constexpr (Config::kGrouped) {
    i64 group = 0;
    while (group + 1 < kGroups && row >= numbers[group]) {
      ++group;
    }
    return {0, group, 0, kSideK, true};
  } else {
    return {kOneA ? 0 : product, kOneB ? 0 : product, 0, kSideK, true};
  }
}

/// Returns the scale of a product of two elements. B's element is in the matrix with the given
/// index.
__device__ inline double scale_of(const GemmBuffers& given, i64 m, i64 n, i64 k, i64 matrix_of_b) {
  if constexpr (Config::kBlockScales) {
    const i64 block = k / 128, row = matrix_of_b * ((kSideN + 127) / 128) + n / 128;
    return static_cast<double>(given.a_scales[block * kRowOfScales + m]) *
           static_cast<double>(given.b_scales[row * ((kSideK + 127) / 128) + block]);
  } else {
    return static_cast<double>(given.a_scales[Config::kTensorScales ? 0 : m]) *
           static_cast<double>(given.b_scales[Config::kTensorScales ? 0 : n]);
  }
}

/// Computes row m and column n of A B, scaled and with the bias.
__device__ inline Approximate sum_of(const GemmBuffers& given, const Factors& factors, i64 m,
                                     i64 n) {
  // Rounding error relative to the sum of magnitudes. fp8 sums are truncated; the error is smaller
  // if sums of 128 elements are promoted.
  constexpr double kOfMagnitudes = !kFp8 ? 0x1.2p-18 : Config::kPromoted ? 0x1p-11 : 0x1p-10;
  const Element* const a = given.a + factors.matrix_of_a * (kElementsOfA / kMatricesOfA);
  const Element* const b = given.b + factors.matrix_of_b * (kElementsOfB / kMatricesOfB);
  double sum = 0, magnitude = 0;
  for (i64 k = factors.k_begin; k < factors.k_end; ++k) {
    const float of_a = static_cast<float>(a[kRowsOfAAreK ? m * kLda + k : k * kLda + m]);
    const float of_b = static_cast<float>(b[kRowsOfBAreK ? n * kLdb + k : k * kLdb + n]);
    double term = static_cast<double>(of_a) * static_cast<double>(of_b);
    if constexpr (Config::kScalesOperands) {
      term *= scale_of(given, m, n, k, factors.matrix_of_b);
    }
    sum += term;
    magnitude += fabs(term);
  }
  if constexpr (Config::kAddsBias) {
    const double added =
        static_cast<double>(static_cast<float>(given.bias[Config::kBiasOfRows ? m : n]));
    sum = Config::Bias::apply<ExactMath>(sum, added);
    magnitude += fabs(added);
  }
  return {sum, kOfMagnitudes * magnitude};
}

/// Computes an element of C before it is scaled. `row`: its row in C, counted over all GEMMs.
__device__ inline Approximate result_of(const GemmBuffers& given, const Factors& factors, i64 row,
                                        i64 column) {
  Approximate result{};
  if constexpr (Config::kGates) {
    using Gate = Config::Activate;
    const Approximate sum = sum_of(given, factors, row % kSideM, column * 2);
    const Approximate other = sum_of(given, factors, row % kSideM, column * 2 + 1);
    const double own = Gate::kApproximate ? 0x1p-12 * fabs(sum.value) + 0x1p-15 : 0;
    // The value that the first column would have with a factor of 1.
    const Approximate alone{Gate::apply<ExactMath>(sum.value, 1), sum.off + own};
    const double off_alone = alone.off * fabs(other.value) + other.off * fabs(alone.value);
    result = {Gate::apply<ExactMath>(sum.value, other.value), off_alone + alone.off * other.off};
  } else {
    result = sum_of(given, factors, row % kSideM, column);
  }
  if constexpr (Config::kActivates && !Config::kGates) {
    using Activate = Config::Activate;
    const double own = Activate::kApproximate ? 0x1p-12 * fabs(result.value) + 0x1p-15 : 0;
    const double value = Activate::apply<ExactMath>(result.value);
    const double above = fabs(Activate::apply<ExactMath>(result.value + result.off) - value);
    const double below = fabs(Activate::apply<ExactMath>(result.value - result.off) - value);
    result = {value, fmax(fmax(above, below), result.off) + own};
  }
  if constexpr (Config::kLoads) {
    using Load = Config::Load;
    const double element =
        static_cast<double>(static_cast<float>(given.residual[row * kLdc + column]));
    const double loaded = Load::apply<ExactMath>(result.value, element);
    const double farthest = Load::apply<ExactMath>(result.value + result.off, element);
    result = {loaded, fabs(farthest - loaded)};
  }
  return result;
}

/// Compares elements of C; NaN is wrong.
__global__ void compare(GemmBuffers given, Findings* findings) {
  for (i64 i = (blockIdx.x * i64{blockDim.x} + threadIdx.x) * kStep; i < kElementsOfC;
       i += i64{gridDim.x} * blockDim.x * kStep) {
    const i64 row = i / kColumnsOfC, column = i % kColumnsOfC;
    const Factors factors = factors_of(row, given.group_numbers);
    if constexpr (kCapacity > 0) {
      if (!factors.written) {
        continue;
      }
    }
    const Approximate result = result_of(given, factors, row, column);
    if constexpr (Config::kFindsAmax) {
      const double magnitude = fabs(result.value);
      const double off = result.off + 0x1p-23 * magnitude;
      atomicMax(&findings->least_amax,
                __float_as_uint(__double2float_rd(fmax(magnitude - off, 0.0))));
      atomicMax(&findings->most_amax, __float_as_uint(__double2float_ru(magnitude + off)));
    }
    double expected = result.value, allowed = result.off;
    if constexpr (Config::kScalesC) {
      const double scale = static_cast<double>(*given.scale_c);
      expected *= scale;
      allowed *= fabs(scale);
    }
    if constexpr (Config::kCType == ElementType::kE4m3) {
      expected = fmin(fmax(expected, -448.0), 448.0);
      allowed += 0x1p-10;  // half of the distance between subnormal numbers
    }
    const double error =
        fabs(static_cast<double>(static_cast<float>(given.c[row * kLdc + column])) - expected);
    if (!(error <= kRounding * fabs(expected) + allowed)) {
      atomicAdd(&findings->wrong, 1ull);
    }
  }
}

/// Returns whether all values are right; otherwise prints the errors.
bool is_right(const Findings& found, const GemmBuffers& given) {
  if (found.wrong != 0) {
    std::printf("WRONG: %llu of %lld elements\n", found.wrong,
                2 * ((kElementsOfC + kStep - 1) / kStep));
    return false;
  }
  if constexpr (Config::kFindsAmax) {
    float amax = 0;
    check(cudaMemcpy(&amax, given.amax, sizeof amax, cudaMemcpyDeviceToHost));
    const float least = std::bit_cast<float>(found.least_amax);
    const float most =
        kStep == 1 ? std::bit_cast<float>(found.most_amax) : std::numeric_limits<float>::infinity();
    if (!(least <= amax && amax <= most)) {
      std::printf("WRONG: amax %g, expected %g to %g\n", amax, least, most);
      return false;
    }
  }
  return true;
}

}  // namespace tilecast::emitted
