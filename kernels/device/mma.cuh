// One warpgroup's part of a tile: its accumulators, and the wgmmas of one K block.
#pragma once

#include "kernels/device/shared_memory.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace tilecast {

constexpr i32 kMmasAlongM = wgmmas_along_m(kTiling);
constexpr i32 kRowsPerWarpgroup = kMmasAlongM * kWgmmaM;

static_assert(kTiling.block_m % (kTiling.warpgroups * kWgmmaM) == 0,
              "each warpgroup takes whole 64-row wgmmas");
static_assert(kTiling.block_k % kSlabElements == 0, "K comes in 128-byte swizzle rows");

struct Accumulator {
  float d[kMmasAlongM][kTiling.block_n / 2];

  __device__ void fence() {
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
      ptx::wgmma_fence_registers(d[i]);
    }
  }
};

/// Where a warpgroup's operands lie in stage 0.
struct OperandDescriptors {
  ptx::MatrixDescriptor a, b;

  __device__ static OperandDescriptors of(const SharedMemory& smem, i32 warpgroup) {
    constexpr u32 kSlabLine = 16;  // leading offset, not read for K-major operands
    const u32 a_rows = smem.a(0) + warpgroup * kRowsPerWarpgroup * kSwizzleBytes;
    const u32 b_leading = kLayout == Layout::kNn ? kTiling.block_k * kSwizzleBytes : kSlabLine;
    return {ptx::MatrixDescriptor::swizzled(a_rows, kSlabLine, kSwizzleAtomBytes),
            ptx::MatrixDescriptor::swizzled(smem.b(0), b_leading, kSwizzleAtomBytes)};
  }
};

/// Issues and commits the wgmmas of one K block as one group. `accumulate` false overwrites.
__device__ inline void mma_k_block(Accumulator& acc, const OperandDescriptors& operands, i32 stage,
                                   bool accumulate) {
  constexpr i32 kStepsPerSlab = kSlabElements / kWgmmaK;
  constexpr bool kNMajorB = kLayout == Layout::kNn;
  const ptx::MatrixDescriptor stage_a = operands.a.moved(stage * kSmem.a_stage_bytes);
  const ptx::MatrixDescriptor stage_b = operands.b.moved(stage * kSmem.b_stage_bytes);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < kTiling.block_k / kWgmmaK; ++step) {
    const i32 slab = step / kStepsPerSlab;
    const i32 in_row = step % kStepsPerSlab * kWgmmaK * 2;  // bytes into the swizzle row
    // N-major B: sixteen K rows further are two atoms further in every slab of 64 columns.
    const ptx::MatrixDescriptor b =
        stage_b.moved(kNMajorB ? step * kWgmmaK * kSwizzleBytes
                               : slab * kTiling.block_n * kSwizzleBytes + in_row);
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
      ptx::wgmma_m64k16<kTiling.block_n, kElementType, kNMajorB ? 1 : 0>(
          acc.d[i], stage_a.moved((slab * kTiling.block_m + i * kWgmmaM) * kSwizzleBytes + in_row),
          b, accumulate || step > 0);
    }
  }
  ptx::wgmma_commit();
}

}  // namespace tilecast
