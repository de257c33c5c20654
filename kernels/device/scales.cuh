// The scales of fp8 operands for a warpgroup's part of a tile, which are fp32 numbers.
//
// Tensor and row scales are read once per tile, before its first wgmma, and multiply the
// accumulators when these are packed; a column's scale is held by one lane and exchanged within its
// warp. Block scales are read K block by K block: those of A's rows from the stage, where they
// arrive with the operands (load_scales); those of B's columns from global memory, 32 K blocks at a
// time and one per lane.
//
// A reduction that stores C from partial sums reads the scales then (scale_sums_at). Checked by:
// validate/measure/gemm/scales_test.cpp.
#pragma once

#include "kernels/device/fast_math.cuh"
#include "kernels/gemm/gemm_config.h"
#include "kernels/ptx/vector_access.cuh"

namespace tilecast {

template <class Config, class Step = typename Config::Scales>
class ScalePart {
 public:
  /// Loads the scales of a part that starts at row `row` of C.
  template <class Part>
  __device__ void load(const Args<Config>&, const Part&, i32) {}
  __device__ void multiply(float (&)[4], i32, i32) const {}
};

__device__ inline float scale_at(const float* scale) {
  return __uint_as_float(ptx::load_global<4, false>(scale, 0).word[0]);
}
/// Loads a scale; 0 out of bounds.
__device__ inline float scale_or_0(const float* scales, i32 index, i32 count) {
  return index < count ? scale_at(scales + index) : 0;
}

/// A thread's first row in its warpgroup's part; it has another eight rows below.
__device__ inline i32 first_row_of_thread() {
  return static_cast<i32>(threadIdx.x) % kThreadsPerWarpgroup / 32 * 16 +
         static_cast<i32>(threadIdx.x) % 32 / 4;
}

template <class Config>
class ScalePart<Config, ScaleTensor> {
 public:
  template <class Part>
  __device__ void load(const Args<Config>& args, const Part&, i32) {
    both_ = scale_or_0(args.scales.a, 0, 1) * scale_or_0(args.scales.b, 0, 1);
  }
  __device__ void multiply(float (&sums)[4], i32, i32) const {
#pragma unroll
    for (float& sum : sums) {
      sum *= both_;
    }
  }

 private:
  float both_;
};

template <class Config>
class ScalePart<Config, ScaleRow> {
 public:
  /// Called by all threads of the warpgroup.
  template <class Part>
  __device__ void load(const Args<Config>& args, const Part& part, i32) {
    const i32 row = part.m + first_row_of_thread();
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
      of_rows_[i][0] = scale_or_0(args.scales.a, row + i * kWgmmaM, args.m);
      of_rows_[i][1] = scale_or_0(args.scales.a, row + i * kWgmmaM + 8, args.m);
    }
    const i32 column = part.n + static_cast<i32>(threadIdx.x) % 32 * 2;
#pragma unroll
    for (i32 i = 0; i < kWords; ++i) {
      of_columns_[i][0] = scale_or_0(args.scales.b, column + i * 64, args.n);
      of_columns_[i][1] = scale_or_0(args.scales.b, column + i * 64 + 1, args.n);
    }
  }

  /// Scales a thread's four accumulators in eight columns: two adjacent in one row, two in the row
  /// eight below. `i`: wgmma row. `column`: the first of the eight columns, within the part. Called
  /// by whole warps.
  __device__ void multiply(float (&sums)[4], i32 i, i32 column) const {
    const i32 eight = column / 8;
    const i32 lane = eight % 8 * 4 + static_cast<i32>(threadIdx.x) % 4;
    const float left = __shfl_sync(0xffffffff, of_columns_[eight / 8][0], lane);
    const float right = __shfl_sync(0xffffffff, of_columns_[eight / 8][1], lane);
    sums[0] = ScaleRow::apply<FastMath>(sums[0], of_rows_[i][0], left);
    sums[1] = ScaleRow::apply<FastMath>(sums[1], of_rows_[i][0], right);
    sums[2] = ScaleRow::apply<FastMath>(sums[2], of_rows_[i][1], left);
    sums[3] = ScaleRow::apply<FastMath>(sums[3], of_rows_[i][1], right);
  }

 private:
  // a lane holds two columns
  static constexpr i32 kWords = ceil_div(Config::kWarpgroupColumns, 64);
  float of_rows_[Config::kMmasAlongM][2], of_columns_[kWords][2];
};

template <class Config>
class ScalePart<Config, ScaleBlock> {
 public:
  /// Number of columns of the part that are always in the same block of B: a part begins at a
  /// multiple of its width.
  static constexpr i32 kTogether =
      min_of(scale_block(), Config::kWarpgroupColumns & -Config::kWarpgroupColumns);

  template <class Part>
  __device__ void load(const Args<Config>& args, const Part& part, i32 row) {
    row_ = (part.m - row) % scales_apart() + row + first_row_of_thread();
    first_column_ = part.n % scale_block();
    const i32 blocks = ceil_div(args.n, scale_block()), block = part.n / scale_block();
    stride_ = args.scales.b_stride;
    of_columns_ =
        args.scales.b +
        static_cast<i64>((Config::kGrouped ? part.product * blocks : 0) + block) * stride_;
    last_ = blocks - 1 - block;
    k_blocks_ = args.k_blocks;
    fetch(0);
  }

  /// Reads the scales of a K block, those of the rows from its stage. Called by whole warps, for K
  /// blocks in order.
  __device__ void read(u32 stage, i32 k_block) {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
      for (i32 half = 0; half < 2; ++half) {
        const i32 row = row_ + i * kWgmmaM + half * 8;
        of_rows_[i][half] = __uint_as_float(ptx::load_shared<4>(stage + row * 4).word[0]);
      }
    }
    if (k_block % 32 == 0) {
#pragma unroll
      for (i32 i = 0; i < kBlocks; ++i) {
        of_lane_[i] = fetched_[i];
      }
      fetch(k_block + 32);
    }
#pragma unroll
    for (i32 i = 0; i < kBlocks; ++i) {
      of_blocks_[i] = __shfl_sync(0xffffffff, of_lane_[i], k_block % 32);
    }
  }

  /// Scale of the thread's row `half` (0, or the one eight below) of wgmma row `i`.
  __device__ float of_row(i32 i, i32 half) const { return of_rows_[i][half]; }
  /// Scale of kTogether columns of the part from `column` on, which is known at compile time.
  __device__ float of_columns(i32 column) const {
    if constexpr (kTogether == scale_block()) {
      return of_blocks_[column / scale_block()];
    }
    float scale = of_blocks_[0];
#pragma unroll
    for (i32 i = 1; i < kBlocks; ++i) {
      scale = first_column_ + column >= i * scale_block() ? of_blocks_[i] : scale;
    }
    return scale;
  }

  __device__ void multiply(float (&)[4], i32, i32) const {
  }  // does nothing: the accumulators are already scaled

 private:
  /// Blocks of B that the part can overlap.
  static constexpr i32 kBlocks =
      ceil_div(scale_block() - kTogether + Config::kWarpgroupColumns, scale_block());

  /// Loads the scales of 32 K blocks, one per lane, long before the first one is needed.
  __device__ void fetch(i32 k_block) {
    const i32 own = k_block + static_cast<i32>(threadIdx.x) % 32;
#pragma unroll
    for (i32 i = 0; i < kBlocks; ++i) {
      fetched_[i] = scale_or_0(of_columns_ + min_of(i, last_) * stride_, own, k_blocks_);
    }
  }

  float of_rows_[Config::kMmasAlongM][2], of_blocks_[kBlocks];
  float of_lane_[kBlocks], fetched_[kBlocks];  // scales of the lane's K block
  const float* of_columns_;                    // scales of the first block that the part overlaps
  i32 row_, first_column_;                     // first row in the stage; first column in its block
  i32 stride_, last_, k_blocks_;
};

/// Scales two adjacent elements in one row of C, within its bounds.
template <class Config>
__device__ inline void scale_sums_at(const Args<Config>& args, i32 row, i32 column,
                                     float (&pair)[2]) {
  using Scales = typename Config::Scales;
  if constexpr (Config::kTensorScales) {
    const float of_a = scale_or_0(args.scales.a, 0, 1), of_b = scale_or_0(args.scales.b, 0, 1);
    pair[0] = Scales::template apply<FastMath>(pair[0], of_a, of_b);
    pair[1] = Scales::template apply<FastMath>(pair[1], of_a, of_b);
  } else if constexpr (Config::kRowScales) {
    const float of_row = scale_or_0(args.scales.a, row, args.m);
    pair[0] = Scales::template apply<FastMath>(pair[0], of_row,
                                               scale_or_0(args.scales.b, column, args.n));
    pair[1] = Scales::template apply<FastMath>(pair[1], of_row,
                                               scale_or_0(args.scales.b, column + 1, args.n));
  }
}

}  // namespace tilecast
