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

/// Issues and commits the wgmmas of one K block as one group. `accumulate` false overwrites.
__device__ inline void mma_k_block(Accumulator& acc, const SharedMemory& smem, i32 stage,
                                   i32 warpgroup, bool accumulate) {
  constexpr i32 kAtom = kSwizzleAtomBytes;
  constexpr i32 kStepsPerSlab = kSlabElements / kWgmmaK;
  constexpr bool kNMajorB = kLayout == Layout::kNn;
  const u32 a_rows = smem.a(stage) + warpgroup * kRowsPerWarpgroup * kSwizzleBytes;
  const u32 b_rows = smem.b(stage);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < kTiling.block_k / kWgmmaK; ++step) {
    const i32 slab = step / kStepsPerSlab;
    const i32 in_row = step % kStepsPerSlab * kWgmmaK * 2;  // bytes into the swizzle row
    // N-major B: sixteen K rows further are two atoms further in every slab of 64 columns.
    const u32 b = kNMajorB ? b_rows + step * kWgmmaK * kSwizzleBytes
                           : b_rows + slab * kTiling.block_n * kSwizzleBytes + in_row;
    const u64 desc_b =
        ptx::swizzled_descriptor(b, kNMajorB ? kTiling.block_k * kSwizzleBytes : 16, kAtom);
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
      const u32 a = a_rows + (slab * kTiling.block_m + i * kWgmmaM) * kSwizzleBytes + in_row;
      ptx::wgmma_m64k16<kTiling.block_n, kElementType, kNMajorB ? 1 : 0>(
          acc.d[i], ptx::swizzled_descriptor(a, 16, kAtom), desc_b, accumulate || step > 0);
    }
  }
  ptx::wgmma_commit();
}

}  // namespace tilecast
