// A warpgroup's part of the bias, in C's type or bf16 (half_type). It is read once per tile, before
// the first wgmma, so that the loads complete long before the accumulators do. It is held as packed
// pairs, one register per 64 columns or rows, which the lanes of a warp exchange.
//
// A reduction that stores C from partial sums reads the bias then (add_bias_at). Checked by:
// validate/measure/gemm/epilogue_test.cpp.
#pragma once

#include "kernels/device/fast_math.cuh"
#include "kernels/gemm/gemm_config.h"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/vector_access.cuh"

namespace tilecast {

/// Returns element `index` and, if it is below `count`, element `index` + 1; 0 out of bounds.
/// `index` is even.
template <class Config>
__device__ inline u32 bias_pair(const Args<Config>& args, i32 index, i32 count) {
  const unsigned short* at = static_cast<const unsigned short*>(args.bias) + index;
  if (index + 1 < count) {
    return ptx::load_global<4, false>(at, 0).word[0];
  }
  return index < count ? ptx::load_global<2, false>(at, 0).word[0] : 0;
}
template <class Config>
__device__ inline u32 bias_element(const Args<Config>& args, i32 index, i32 count) {
  const unsigned short* at = static_cast<const unsigned short*>(args.bias) + index;
  return index < count ? ptx::load_global<2, false>(at, 0).word[0] : 0;
}

template <class Config>
__device__ inline float low_element(u32 pair) {
  return ptx::value_of_bits(static_cast<unsigned short>(pair), Config::kHalfType);
}
template <class Config>
__device__ inline float high_element(u32 pair) {
  return ptx::value_of_bits(static_cast<unsigned short>(pair >> 16), Config::kHalfType);
}

template <class Config, class Step = typename Config::Bias>
class BiasPart {
  using Bias = typename Config::Bias;

 public:
  /// `m`, `n`: start of the part in C. Called by all threads of the warpgroup.
  __device__ void load(const Args<Config>& args, i32 m, i32 n) {
    const i32 lane = threadIdx.x % 32;
#pragma unroll
    for (i32 i = 0; i < kWords; ++i) {
      if constexpr (Config::kBiasOfColumns) {
        words_[i] = bias_pair(args, n + (i * 32 + lane) * 2, args.n);
      } else if constexpr (Config::kBiasOfRows) {
        const i32 warp = threadIdx.x % kThreadsPerWarpgroup / 32;
        const i32 row = m + i * kWgmmaM + warp * 16 + lane / 4;
        words_[i] = bias_element(args, row, args.m) | bias_element(args, row + 8, args.m) << 16;
      }
    }
  }

  /// Adds the bias to a thread's four accumulators in eight columns: two adjacent in one row, two
  /// in the row eight below. `i`: wgmma row. `column`: the first of the eight columns, within the
  /// part. Called by whole warps.
  __device__ void add(float (&sums)[4], i32 i, i32 column) const {
    if constexpr (Config::kBiasOfColumns) {
      const i32 eight = column / 8;
      const u32 pair = __shfl_sync(0xffffffff, words_[eight / 8],
                                   eight % 8 * 4 + static_cast<i32>(threadIdx.x) % 4);
      sums[0] = Bias::template apply<FastMath>(sums[0], low_element<Config>(pair));
      sums[1] = Bias::template apply<FastMath>(sums[1], high_element<Config>(pair));
      sums[2] = Bias::template apply<FastMath>(sums[2], low_element<Config>(pair));
      sums[3] = Bias::template apply<FastMath>(sums[3], high_element<Config>(pair));
    } else if constexpr (Config::kBiasOfRows) {
      sums[0] = Bias::template apply<FastMath>(sums[0], low_element<Config>(words_[i]));
      sums[1] = Bias::template apply<FastMath>(sums[1], low_element<Config>(words_[i]));
      sums[2] = Bias::template apply<FastMath>(sums[2], high_element<Config>(words_[i]));
      sums[3] = Bias::template apply<FastMath>(sums[3], high_element<Config>(words_[i]));
    }
  }

 private:
  static constexpr i32 kWords =
      Config::kBiasOfColumns ? ceil_div(Config::kWarpgroupColumns, 64) : Config::kMmasAlongM;
  u32 words_[kWords];
};

template <class Config>
class BiasPart<Config, NoStep> {
 public:
  __device__ void load(const Args<Config>&, i32, i32) {}
  __device__ void add(float (&)[4], i32, i32) const {}
};

/// Adds the bias to two adjacent elements in one row of C, within its bounds; `column` is even.
template <class Config>
__device__ inline void add_bias_at(const Args<Config>& args, i32 row, i32 column,
                                   float (&pair)[2]) {
  using Bias = typename Config::Bias;
  if constexpr (Config::kBiasOfColumns) {
    const u32 elements = bias_pair(args, column, args.n);
    pair[0] = Bias::template apply<FastMath>(pair[0], low_element<Config>(elements));
    pair[1] = Bias::template apply<FastMath>(pair[1], high_element<Config>(elements));
  } else if constexpr (Config::kBiasOfRows) {
    const float element = low_element<Config>(bias_element(args, row, args.m));
    pair[0] = Bias::template apply<FastMath>(pair[0], element);
    pair[1] = Bias::template apply<FastMath>(pair[1], element);
  }
}

}  // namespace tilecast
