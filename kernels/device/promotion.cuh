// wgmma with block scales, as an operation of stage_loop.cuh: the sums of a K block stay in the
// tensor core no longer than its 128 elements, and are scaled and added to the tile's in fp32.
//
// A warpgroup's wgmma rows take turns in one set of registers: the wgmmas of one, the wait for
// them, a multiply-add of each sum. Meanwhile the tensor cores run another warpgroup's. The last
// row's multiply-adds follow the release of the stage.
//
// The tensor cores share their time between two warpgroups that both have wgmmas, which then end
// together, promote together, and stay so. Hence the second one of a tile begins each K block when
// half of the first one's first row is done. Each stage has a barrier for that: whoever is ahead
// cannot come to the same stage again before the other has left it.
// Checked by: validate/measure/scales_test.cpp (results), kernels/jit/gemm_kernel_test.cpp (no
// spills).
#pragma once

#include "kernels/device/wgmma_operation.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

static_assert(
    !promotes(fused()) || (kMmasAlongN == 1 && kTiling.block_k * 2 == scale_block()),
    "a wgmma spans its warpgroup's columns, a K block is a block of scales: 128 elements");

/// Two warpgroups share each tile: one follows the other.
__device__ consteval bool in_order() {
  return promotes(fused()) && warpgroups_per_tile(kTiling) == 2;
}
/// One for each stage, behind those of the epilogue (epilogue.cuh).
__device__ consteval u32 first_order_barrier() { return kConsumerWarpgroups + 2; }
static_assert(!in_order() || first_order_barrier() + kTiling.stages <= 16,
              "a CTA has sixteen named barriers");

/// `Sums`: Accumulator.
template <class Behind, class Sums>
struct PromotingOperation {
  static constexpr i32 kLag = 0;

  const OperandDescriptors& operands;
  Sums& accumulator;
  Behind behind = {};
  float sums[kInstructionN / 2] = {};  // of a K block's wgmma row

  /// Of an accumulator that begins a tile.
  __device__ __forceinline__ void begin() {
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
#pragma unroll
      for (float& sum : accumulator.d[i][0]) {
        sum = 0;
      }
    }
  }
  __device__ __forceinline__ void wait_operands(const SharedMemory& smem,
                                                const RingPosition& at) const {
    wait_full(smem, at);
  }
  __device__ __forceinline__ void issue(const SharedMemory& smem, const RingPosition& at, bool) {
    constexpr u32 kBoth = 2 * kThreadsPerWarpgroup;
    const bool leads = threadIdx.x < kThreadsPerWarpgroup;
    accumulator.scales.read(smem.scales(at.stage));
    if (in_order() && !leads) {
      ptx::named_barrier_sync(first_order_barrier() + at.stage, kBoth);
    }
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
      mma_row_of_k_block(sums, operands, at, i);
      if (i == 0) {
        behind();
        ptx::wgmma_wait<1>();  // half of the row
        if (in_order() && leads) {
          ptx::named_barrier_arrive(first_order_barrier() + at.stage, kBoth);
        }
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
