// One warpgroup's part of a tile: its accumulators, their scales and bias, and the wgmmas of one K
// block.
#pragma once

#include "kernels/device/amax.cuh"
#include "kernels/device/bias.cuh"
#include "kernels/device/residual.cuh"
#include "kernels/device/scales.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace tilecast {

/// d[i][j] is the 64 x kInstructionN part of wgmma (i, j): for every eight columns thread t holds
/// two adjacent elements in row t/4 of its warp's sixteen rows, then two in the row eight below.
template <class Config>
struct Accumulator {
  static_assert(Config::kTiling.block_m % (Config::kTiling.warpgroups_m * kWgmmaM) == 0,
                "each warpgroup takes whole 64-row wgmmas");
  static_assert(Config::kMmasAlongN * Config::kInstructionN * Config::kTiling.warpgroups_n ==
                    Config::kTiling.block_n,
                "each warpgroup takes whole wgmmas along N");
  static_assert(Config::kTiling.block_k % Config::kSlab == 0 && Config::kSlab % 32 == 0,
                "K comes in whole 64- or 128-byte swizzle rows");
  static_assert(Config::kBKMajor || Config::kMmasKeepToSlabs,
                "N-major B comes in slabs of 64 columns: a warpgroup takes whole ones, and a wgmma "
                "starts a slab or stays inside one");

  float d[Config::kMmasAlongM][Config::kMmasAlongN][Config::kInstructionN / 2];
  BiasPart<Config> bias;
  ScalePart<Config> scales;
  AmaxPart<Config> amax;
  ResidualPart<Config> residual;

  __device__ void fence() {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
      for (i32 j = 0; j < Config::kMmasAlongN; ++j) {
        ptx::wgmma_fence_registers(d[i][j]);
      }
    }
  }
  __device__ void clear() {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
      for (i32 j = 0; j < Config::kMmasAlongN; ++j) {
#pragma unroll
        for (i32 k = 0; k < Config::kInstructionN / 2; ++k) {
          d[i][j][k] = 0;
        }
      }
    }
  }
  /// Returns four elements of eight columns; `column` is a constant multiple of eight.
  __device__ float* eight_columns(i32 i, i32 column) {
    return &d[i][column / Config::kInstructionN][column % Config::kInstructionN / 2];
  }
  __device__ const float* eight_columns(i32 i, i32 column) const {
    return &d[i][column / Config::kInstructionN][column % Config::kInstructionN / 2];
  }
};

/// Position of a warpgroup's part in a tile; warpgroups are numbered along M first.
struct WarpgroupPlace {
  i32 row, column;  // first row and column of the part, within the tile

  template <class Config>
  __device__ static WarpgroupPlace of(i32 warpgroup_of_tile) {
    return {warpgroup_of_tile % Config::kTiling.warpgroups_m * Config::kWarpgroupRows,
            warpgroup_of_tile / Config::kTiling.warpgroups_m * Config::kWarpgroupColumns};
  }
};

/// Descriptors of a warpgroup's operands in stage 0.
struct OperandDescriptors {
  ptx::MatrixDescriptor a, b;

  template <class Config>
  __device__ static OperandDescriptors of(const SharedMemory<Config>& smem,
                                          const WarpgroupPlace& place) {
    return {of_operand<Config, Config::kAKMajor>(smem.a(0), place.row),
            of_operand<Config, Config::kBKMajor>(smem.b(0), place.column)};
  }

 private:
  /// `first`: the warpgroup's first row or column.
  template <class Config, bool kKMajor>
  __device__ static ptx::MatrixDescriptor of_operand(u32 stage, i32 first) {
    if constexpr (kKMajor) {
      constexpr i32 kSlabAtomBytes =
          8 * Config::kSlabRowBytes;  // eight rows, after which the swizzle repeats
      constexpr u32 kUnread = 16;     // leading offset, not read for K-major operands
      return ptx::MatrixDescriptor::swizzled<Config::kSlabRowBytes>(
          stage + first * Config::kSlabRowBytes, kUnread, kSlabAtomBytes);
    } else {
      constexpr u32 kSlabBytes = Config::kTiling.block_k * kSwizzleBytes;
      return ptx::MatrixDescriptor::swizzled<kSwizzleBytes>(
          stage + first / kSlabElements * kSlabBytes, kSlabBytes, kSwizzleAtomBytes);
    }
  }
};

/// Descriptors for the stage at `at`.
template <class Config>
__device__ inline OperandDescriptors in_stage(const OperandDescriptors& operands,
                                              const RingPosition<Config>& at) {
  return {operands.a.moved(at.stage * Config::kSmem.a_stage_bytes),
          operands.b.moved(at.b_stage() * Config::kSmem.b_stage_bytes)};
}

/// Byte offset of row or column `first` and K step `step` of an operand, relative to the
/// warpgroup's first row or column. `side`: the tile's size along that dimension.
template <class Config, bool kKMajor>
__device__ constexpr i32 step_bytes(i32 side, i32 first, i32 step) {
  if constexpr (kKMajor) {
    const i32 k = step * Config::kInstructionK;
    return (k / Config::kSlab * side + first) * Config::kSlabRowBytes +
           k % Config::kSlab * Config::kOperandBytes;
  } else {
    // Sixteen rows of K are two swizzle atoms in every slab of 64 rows or columns.
    return first / kSlabElements * Config::kTiling.block_k * kSwizzleBytes +
           first % kSlabElements * Config::kOperandBytes +
           step * Config::kInstructionK * kSwizzleBytes;
  }
}
/// Byte offsets for A of wgmma row i and B of wgmma column j.
template <class Config>
__device__ constexpr i32 a_step_bytes(i32 i, i32 step) {
  return step_bytes<Config, Config::kAKMajor>(Config::kTiling.block_m, i * kWgmmaM, step);
}
template <class Config>
__device__ constexpr i32 b_step_bytes(i32 j, i32 step) {
  return step_bytes<Config, Config::kBKMajor>(Config::kTiling.block_n, j * Config::kInstructionN,
                                              step);
}

/// Issues and commits the wgmmas of one K block as one group. If `accumulate` is false, overwrites
/// the accumulators.
template <class Config>
__device__ inline void mma_k_block(Accumulator<Config>& acc, const OperandDescriptors& operands,
                                   const RingPosition<Config>& at, bool accumulate) {
  const OperandDescriptors stage = in_stage<Config>(operands, at);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < Config::kSteps; ++step) {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
      for (i32 j = 0; j < Config::kMmasAlongN; ++j) {
        ptx::wgmma_m64k16<Config::kInstructionN, Config::kElementType, !Config::kAKMajor,
                          !Config::kBKMajor>(
            acc.d[i][j], stage.a.moved(a_step_bytes<Config>(i, step)),
            stage.b.moved(b_step_bytes<Config>(j, step)), accumulate || step > 0);
      }
    }
  }
  ptx::wgmma_commit();
}

/// Issues and commits the wgmmas of row `i` only, over all of the warpgroup's columns; overwrites
/// `sums`.
template <class Config>
__device__ inline void mma_row_of_k_block(float (&sums)[Config::kInstructionN / 2],
                                          const OperandDescriptors& operands,
                                          const RingPosition<Config>& at, i32 i) {
  const OperandDescriptors stage = in_stage<Config>(operands, at);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < Config::kSteps; ++step) {
    ptx::wgmma_m64k16<Config::kInstructionN, Config::kElementType, !Config::kAKMajor,
                      !Config::kBKMajor>(sums, stage.a.moved(a_step_bytes<Config>(i, step)),
                                         stage.b.moved(b_step_bytes<Config>(0, step)), step > 0);
  }
  ptx::wgmma_commit();
}

}  // namespace tilecast
