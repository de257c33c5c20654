// Computes the softmax of a warpgroup's rows, one block of keys at a time. A thread holds a quarter
// of two rows; their running maximum and sum are in fp32, in powers of two. If a warpgroup has at
// most eight rows, a thread's second row does not exist and is not changed.
#pragma once

#include "kernels/attention/products.cuh"
#include "kernels/ptx/exp2.cuh"
#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

constexpr float kLn2 = 0.693147180559945309f;

__device__ __forceinline__ float minus_infinity() { return __int_as_float(0xff800000); }

/// Reduces over neighbouring lanes, each of which receives the result.
template <i32 kLanes, class Combine>
__device__ __forceinline__ float over_lanes(float value, Combine combine) {
#pragma unroll
  for (i32 apart = 1; apart < kLanes; apart *= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffff, value, apart));
  }
  return value;
}

/// The two rows of a thread: row lane / 4 of its warp's sixteen rows, and the row eight below it.
struct ThreadRows {
  i32 first, column;  // row within the warpgroup's 64; first column of each eight

  __device__ static ThreadRows here() {
    const i32 thread = static_cast<i32>(ptx::thread_index() % kGroupThreads), lane = thread % 32;
    return {thread / 32 * 16 + lane / 4, lane % 4 * 2};
  }
  __device__ i32 row(i32 which) const { return first + which * 8; }
};

template <class Config>
struct Softmax {
  float maximum[2] = {minus_infinity(), minus_infinity()};  // maximum of the whole row, unscaled
  float sum[2] = {0, 0};                                    // sum over this thread's columns
  float shrink[2] = {0, 0};  // factor for the sums over earlier blocks

  /// Converts scores to weights relative to the new maximum. A row that has had no visible key so
  /// far has weights of 0.
  __device__ __forceinline__ void update(Scores<Config>& s, float scale) {
#pragma unroll
    for (i32 row = 0; row < Config::kThreadRows; ++row) {
      float largest[2] = {maximum[row], minus_infinity()};  // two independent chains
#pragma unroll
      for (i32 i = 2 * row; i < Config::kKvBlock / 2; i += 4) {
        largest[0] = fmaxf(largest[0], s[i]);
        largest[1] = fmaxf(largest[1], s[i + 1]);
      }
      const float now = over_lanes<4>(fmaxf(largest[0], largest[1]),
                                      [](float a, float b) { return fmaxf(a, b); });
      const float origin = now == minus_infinity() ? 0 : now * scale;
      shrink[row] = ptx::exp2_approx(__fmaf_rn(maximum[row], scale, -origin));
      maximum[row] = now;
      float added[2] = {sum[row] * shrink[row], 0};
#pragma unroll
      for (i32 i = 2 * row; i < Config::kKvBlock / 2; i += 4) {
#pragma unroll
        for (i32 pair = 0; pair < 2; ++pair) {
          s[i + pair] = ptx::exp2_approx(__fmaf_rn(s[i + pair], scale, -origin));
          added[pair] += s[i + pair];
        }
      }
      sum[row] = added[0] + added[1];
    }
  }

  __device__ __forceinline__ void rescale(Sums<Config>& o) const {
#pragma unroll
    for (i32 i = 0; i < Config::kHeadDim / 2; ++i) {
      o[i] *= shrink[i / 2 % 2];
    }
  }

  /// Called after the last block: normalizes O, and sets `lse` to the log2-sum-exp of the two rows.
  /// Rows without a key give 0 and -infinity.
  __device__ __forceinline__ void finish(Sums<Config>& o, float (&lse)[2], float scale) {
    float inverse[2];
#pragma unroll
    for (i32 row = 0; row < 2; ++row) {
      const float all = over_lanes<4>(sum[row], [](float a, float b) { return a + b; });
      lse[row] = all == 0 ? minus_infinity() : maximum[row] * scale + ptx::log2_approx(all);
      inverse[row] = 1 / all;
    }
#pragma unroll
    for (i32 i = 0; i < Config::kHeadDim / 2; ++i) {
      const i32 row = i / 2 % 2;
      o[i] = lse[row] == minus_infinity() ? 0 : o[i] * inverse[row];
    }
  }
};

/// Range of keys that the two rows of a thread attend to, relative to the thread's first column.
template <class Config>
struct SeenKeys {
  i32 of_row[2];

  /// `query`: the warpgroup's first query.
  __device__ static SeenKeys of(const AttentionWork& work, i32 query) {
    const ThreadRows rows = ThreadRows::here();
    SeenKeys seen;
#pragma unroll
    for (i32 which = 0; which < 2; ++which) {
      const i32 here = query + rows.row(which) / Config::kPackedHeads;
      const i32 last = Config::kCausal ? here + 1 + work.keys - work.queries : work.keys;
      seen.of_row[which] = min_of(last, work.keys) - rows.column;
    }
    return seen;
  }

  /// Masks the scores of the block's keys to which its rows must not attend.
  __device__ __forceinline__ void mask(Scores<Config>& s, i32 first_key) const {
#pragma unroll
    for (i32 i = 0; i < Config::kKvBlock / 2; ++i) {
      const i32 column = i / 4 * 8 + i % 2;
      if (column >= of_row[i / 2 % 2] - first_key) {
        s[i] = minus_infinity();
      }
    }
  }
};

}  // namespace tilecast
