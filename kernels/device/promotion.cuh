// wgmma with block scales, as an operation of stage_loop.cuh: the sums of a K block stay in the
// tensor core no longer than its 128 elements, and are scaled and added to the tile's in fp32.
//
// A warpgroup's wgmma rows take turns in one set of registers: the wgmmas of one, the wait for
// them, a multiply-add of each sum. Meanwhile the tensor cores run another warpgroup's. The last
// row's multiply-adds follow the release of the stage.
//
// What a K block needs beside its wgmmas is done under those of the one before: the wait for its
// stage, and its scales from there to registers. Every warp has them before the K block's wgmmas,
// behind which the stage is released: one thread frees it for all four warps of its warpgroup,
// which have met at these wgmmas. Of ping-pong kernels the other warpgroup waits for its turn.
// Checked by: validate/measure/scales_test.cpp (results), kernels/jit/gemm_kernel_test.cpp (no
// spills).
#pragma once

#include "kernels/device/wgmma_operation.cuh"

namespace tilecast {

static_assert(
    !promotes(fused()) ||
        (kMmasAlongN == 1 && kTiling.block_k * 2 == scale_block() && kTiling.stages > 1),
    "a wgmma spans its warpgroup's columns, a K block is a block of scales: 128 elements");

/// `Sums`: Accumulator.
template <class Behind, class Sums>
struct PromotingOperation {
  static constexpr i32 kLag = 0;

  const OperandDescriptors& operands;
  Sums& accumulator;
  Behind behind = {};
  i32 left = 0;                        // K blocks not yet waited for
  float sums[kInstructionN / 2] = {};  // of a K block's wgmma row

  /// Of an accumulator that begins a tile of so many K blocks, the first of them at `at`.
  __device__ __forceinline__ void begin(const SharedMemory& smem, const RingPosition& at,
                                        i32 k_blocks) {
    left = k_blocks;
    look_at(smem, at);
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
#pragma unroll
      for (float& sum : accumulator.d[i][0]) {
        sum = 0;
      }
    }
  }
  __device__ __forceinline__ void wait_operands(const SharedMemory&, const RingPosition&) const {}
  __device__ __forceinline__ void issue(const SharedMemory& smem, const RingPosition& at, bool) {
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
      mma_row_of_k_block(sums, operands, at, i);
      if (i == 0) {
        accumulator.scales.take();
        behind();
        RingPosition next = at;
        next.advance();
        look_at(smem, next);
      }
      if (i + 1 < kMmasAlongM) {
        wait();
        promote(i);
      }
    }
  }
  __device__ __forceinline__ void wait_outstanding(const SharedMemory&, const RingPosition&, i32) {
    wait();
  }
  __device__ __forceinline__ void release(const SharedMemory& smem, const RingPosition& at,
                                          const ClusterPlace& place) {
    release_stage(smem, at.stage, place);
    promote(kMmasAlongM - 1);
  }
  __device__ __forceinline__ void finish(const SharedMemory&) const {}

 private:
  /// Waits for a K block's stage, if there is such a K block, and reads its scales.
  __device__ __forceinline__ void look_at(const SharedMemory& smem, const RingPosition& at) {
    if (left > 0) {
      --left;
      wait_full(smem, at);
      accumulator.scales.read(smem.scales(at.stage));
    }
  }
  __device__ __forceinline__ void wait() {
    ptx::wgmma_wait<0>();
    ptx::wgmma_fence_registers(sums);
  }
  __device__ __forceinline__ void promote(i32 i) {
    constexpr i32 kTogether = decltype(Sums::scales)::kTogether;
#pragma unroll
    for (i32 column = 0; column < kInstructionN; column += kTogether) {
      const float of_columns = accumulator.scales.of_columns(column);
      const float scale[2] = {accumulator.scales.of_row(i, 0) * of_columns,
                              accumulator.scales.of_row(i, 1) * of_columns};
#pragma unroll
      for (i32 k = column / 2; k < (column + kTogether) / 2; ++k) {
        float& sum = accumulator.d[i][0][k];
        sum = fmaf(sums[k], scale[k / 2 % 2], sum);
      }
    }
  }
};

}  // namespace tilecast
