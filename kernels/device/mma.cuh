// One warpgroup's part of a tile: its accumulators, what they are scaled by and the bias that is
// added to them, and the wgmmas of one K block.
#pragma once

#include "kernels/device/amax.cuh"
#include "kernels/device/bias.cuh"
#include "kernels/device/residual.cuh"
#include "kernels/device/scales.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace tilecast {

constexpr i32 kInstructionN = instruction_n(kConfig);
constexpr i32 kMmasAlongM = wgmmas_along_m(kTiling);
constexpr i32 kMmasAlongN = wgmmas_along_n(kConfig);
constexpr i32 kWarpgroupRows = warpgroup_rows(kTiling);
constexpr i32 kWarpgroupColumns = warpgroup_columns(kTiling);
constexpr i32 kSlabAtomBytes = 8 * kSlabRowBytes;  // eight rows, after which the swizzle repeats

static_assert(kTiling.block_m % (kTiling.warpgroups_m * kWgmmaM) == 0,
              "each warpgroup takes whole 64-row wgmmas");
static_assert(kMmasAlongN * kInstructionN * kTiling.warpgroups_n == kTiling.block_n,
              "each warpgroup takes whole wgmmas along N");
static_assert(kTiling.block_k % kSlab == 0 && kSlab % 32 == 0,
              "K comes in whole 64- or 128-byte swizzle rows");
static_assert(b_is_k_major(kLayout) || wgmmas_keep_to_slabs(kConfig),
              "N-major B comes in slabs of 64 columns: a warpgroup takes whole ones, and a wgmma "
              "starts a slab or stays inside one");

/// d[i][j] holds the 64 x kInstructionN part of wgmma (i, j): thread t has, for every eight
/// columns, two neighbours in row t/4 of its warp's sixteen, then two in the row eight below.
struct Accumulator {
  float d[kMmasAlongM][kMmasAlongN][kInstructionN / 2];
  BiasPart<fused().bias> bias;
  ScalePart<fused().scales> scales;
  AmaxPart<fused().amax> amax;
  ResidualPart<fused().residual> residual;

  __device__ void fence() {
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
#pragma unroll
      for (i32 j = 0; j < kMmasAlongN; ++j) {
        ptx::wgmma_fence_registers(d[i][j]);
      }
    }
  }
  /// The four values of eight columns; `column` a multiple of eight, known at compile time.
  __device__ float* eight_columns(i32 i, i32 column) {
    return &d[i][column / kInstructionN][column % kInstructionN / 2];
  }
  __device__ const float* eight_columns(i32 i, i32 column) const {
    return &d[i][column / kInstructionN][column % kInstructionN / 2];
  }
};

/// A warpgroup's place in a tile: warpgroups along M first.
struct WarpgroupPlace {
  i32 row, column;  // first ones of C that it computes, counted in the tile

  __device__ static WarpgroupPlace of(i32 warpgroup_of_tile) {
    return {warpgroup_of_tile % kTiling.warpgroups_m * kWarpgroupRows,
            warpgroup_of_tile / kTiling.warpgroups_m * kWarpgroupColumns};
  }
};

/// Where a warpgroup's operands lie in stage 0.
struct OperandDescriptors {
  ptx::MatrixDescriptor a, b;

  __device__ static OperandDescriptors of(const SharedMemory& smem, const WarpgroupPlace& place) {
    return {of_operand<a_is_k_major(kLayout)>(smem.a(0), place.row),
            of_operand<b_is_k_major(kLayout)>(smem.b(0), place.column)};
  }

 private:
  /// `first`: of the warpgroup's rows or columns.
  template <bool kKMajor>
  __device__ static ptx::MatrixDescriptor of_operand(u32 stage, i32 first) {
    if constexpr (kKMajor) {
      constexpr u32 kUnread = 16;  // leading offset, not read for K-major operands
      return ptx::MatrixDescriptor::swizzled<kSlabRowBytes>(stage + first * kSlabRowBytes, kUnread,
                                                            kSlabAtomBytes);
    } else {
      constexpr u32 kSlabBytes = kTiling.block_k * kSwizzleBytes;
      return ptx::MatrixDescriptor::swizzled<kSwizzleBytes>(
          stage + first / kSlabElements * kSlabBytes, kSlabBytes, kSwizzleAtomBytes);
    }
  }
};

/// Likewise, in the stage at `at`.
__device__ inline OperandDescriptors in_stage(const OperandDescriptors& operands,
                                              const RingPosition& at) {
  return {operands.a.moved(at.stage * kSmem.a_stage_bytes),
          operands.b.moved(at.b_stage() * kSmem.b_stage_bytes)};
}

/// Row or column `first` and k16 step `step` of an operand, in bytes from the warpgroup's first;
/// `side`: of the tile.
__device__ constexpr i32 step_bytes(bool k_major, i32 side, i32 first, i32 step) {
  if (!k_major) {
    // Sixteen K rows further are two atoms further in every slab of 64 rows or columns.
    return first / kSlabElements * kTiling.block_k * kSwizzleBytes +
           first % kSlabElements * kOperandBytes + step * kWgmmaK * kSwizzleBytes;
  }
  const i32 k = step * kWgmmaK;
  return (k / kSlab * side + first) * kSlabRowBytes + k % kSlab * kOperandBytes;
}
/// A of wgmma row i, B of wgmma column j.
__device__ constexpr i32 a_step_bytes(i32 i, i32 step) {
  return step_bytes(a_is_k_major(kLayout), kTiling.block_m, i * kWgmmaM, step);
}
__device__ constexpr i32 b_step_bytes(i32 j, i32 step) {
  return step_bytes(b_is_k_major(kLayout), kTiling.block_n, j * kInstructionN, step);
}

/// A function, since a constant would be a symbol of every cubin.
TILECAST_HD consteval bool m_major_a() { return !a_is_k_major(kLayout); }
constexpr bool kNMajorB = !b_is_k_major(kLayout);

/// Issues and commits the wgmmas of one K block as one group. `accumulate` false overwrites.
__device__ inline void mma_k_block(Accumulator& acc, const OperandDescriptors& operands,
                                   const RingPosition& at, bool accumulate) {
  const OperandDescriptors stage = in_stage(operands, at);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < kTiling.block_k / kWgmmaK; ++step) {
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
#pragma unroll
      for (i32 j = 0; j < kMmasAlongN; ++j) {
        ptx::wgmma_m64k16<kInstructionN, kElementType, m_major_a(), kNMajorB>(
            acc.d[i][j], stage.a.moved(a_step_bytes(i, step)), stage.b.moved(b_step_bytes(j, step)),
            accumulate || step > 0);
      }
    }
  }
  ptx::wgmma_commit();
}

/// The same of row `i` of wgmmas whose columns are the warpgroup's, over what was in `sums`.
__device__ inline void mma_row_of_k_block(float (&sums)[kInstructionN / 2],
                                          const OperandDescriptors& operands,
                                          const RingPosition& at, i32 i) {
  const OperandDescriptors stage = in_stage(operands, at);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < kTiling.block_k / kWgmmaK; ++step) {
    ptx::wgmma_m64k16<kInstructionN, kElementType, m_major_a(), kNMajorB>(
        sums, stage.a.moved(a_step_bytes(i, step)), stage.b.moved(b_step_bytes(0, step)), step > 0);
  }
  ptx::wgmma_commit();
}

}  // namespace tilecast
