// Compares rows of O and of the log-sum-exp with a softmax in fp64. The tolerance is the rounding
// of O and of 16-bit weights, plus the error of scores, which tensor cores accumulate in fp32. If
// all rows would take more than 2^37 multiply-adds, only every kStep-th is checked.
#pragma once

#include "kernels/emit/attention_buffers.cuh"
#include "kernels/emit/findings.cuh"

namespace tilecast::emitted {

/// Computes scale * q k.
__device__ inline Approximate score_of(const Element* q, const Element* k) {
  double sum = 0, magnitude = 0;
  for (int d = 0; d < kHeadDim; ++d) {
    const double term = static_cast<double>(static_cast<float>(q[d])) *
                        static_cast<double>(static_cast<float>(k[d]));
    sum += term;
    magnitude += fabs(term);
  }
  return {kScale * sum, kScale * 0x1.2p-18 * magnitude};
}

__device__ inline double sum_of_warp(double value) {
  for (int apart = 1; apart < 32; apart *= 2) {
    value += __shfl_xor_sync(0xffffffff, value, apart);
  }
  return value;
}
__device__ inline double largest_of_warp(double value) {
  for (int apart = 1; apart < 32; apart *= 2) {
    value = fmax(value, __shfl_xor_sync(0xffffffff, value, apart));
  }
  return value;
}

/// Compares rows, one per warp; NaN is wrong.
__global__ void compare(AttentionBuffers given, Findings* findings) {
  constexpr int kColumns = kHeadDim / 32;  // columns per lane
  const int lane = threadIdx.x % 32;
  const i64 warp = (blockIdx.x * i64{blockDim.x} + threadIdx.x) / 32;
  const i64 warps = i64{gridDim.x} * blockDim.x / 32;
  for (i64 row = warp * kStep; row < kRows; row += warps * kStep) {
    const i64 query = row % kQueries, head = row / kQueries % kHeads;
    const i64 batch = row / kQueries / kHeads;
    const i64 own = batch * kBatchOfQ + head * kHeadOfQ + query * kRowOfQ;
    const i64 keys = batch * kBatchOfK + head / (kHeads / kKvHeads) * kHeadOfK;
    i64 seen = kKeys;
    if constexpr (Config::kCausal) {
      const i64 diagonal = kKeys - kQueries + query + 1;
      seen = diagonal > 0 ? diagonal : 0;
    }
    double largest = -INFINITY, off = 0;
    for (i64 key = lane; key < seen; key += 32) {
      const Approximate score = score_of(given.q + own, given.k + keys + key * kRowOfK);
      largest = fmax(largest, score.value);
      off = fmax(off, score.off);
    }
    largest = largest_of_warp(largest);
    off = largest_of_warp(off);
    double all = 0, sum[kColumns] = {}, magnitude[kColumns] = {}, squares[kColumns] = {};
    for (i64 first = 0; first < seen; first += 32) {
      double weight = 0;
      if (first + lane < seen) {
        const Element* const k = given.k + keys + (first + lane) * kRowOfK;
        weight = exp(score_of(given.q + own, k).value - largest);
      }
      all += weight;
      for (int of = 0; of < 32 && first + of < seen; ++of) {
        const double share = __shfl_sync(0xffffffff, weight, of);
        const Element* const v = given.v + keys + (first + of) * kRowOfK + lane * kColumns;
        for (int c = 0; c < kColumns; ++c) {
          const double term = share * static_cast<double>(static_cast<float>(v[c]));
          sum[c] += term;
          magnitude[c] += fabs(term);
          squares[c] += term * term;
        }
      }
    }
    all = sum_of_warp(all);
    const double share = seen > 0 ? 1 / all : 0;
    for (int c = 0; c < kColumns; ++c) {
      // Tolerance: eight standard deviations of the rounded weights' sum; weights below 2^-14 are
      // subnormal.
      const double rounding = kRounding * (fabs(sum[c]) + 8 * 0.58 * sqrt(squares[c]));
      const double subnormal = 0x1p-25 * static_cast<double>(seen);
      const double allowed = (rounding + 2 * off * magnitude[c] + subnormal) * share;
      const double o = static_cast<double>(static_cast<float>(given.o[own + lane * kColumns + c]));
      if (!(fabs(o - sum[c] * share) <= allowed)) {
        atomicAdd(&findings->wrong, 1ull);
      }
    }
    if constexpr (kWritesLse) {
      const double expected = largest + log(all), got = static_cast<double>(given.lse[row]);
      const double allowed = off + 0x1p-16 + 0x1p-20 * fabs(expected);
      if (lane == 0 && !(got == expected || fabs(got - expected) <= allowed)) {
        atomicAdd(&findings->wrong, 1ull);
      }
    }
  }
}

/// Returns whether all values are right; otherwise prints the number of errors.
bool is_right(const Findings& found, const AttentionBuffers&) {
  if (found.wrong != 0) {
    std::printf("WRONG: %llu of %lld elements\n", found.wrong,
                2 * ((kRows + kStep - 1) / kStep) * kHeadDim);
  }
  return found.wrong == 0;
}

}  // namespace tilecast::emitted
