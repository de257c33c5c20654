// One tile of one K block on one CTA: load A and B, multiply, store. The least that a wgmma can be
// part of; shows what the source of A and the width of the instruction cost.
//
// A comes from shared memory, or through registers: each warp loads its sixteen rows by ldmatrix.
//
// Contract: one CTA of kThreads threads, a problem of at most one tile and one K block,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, rows of A
// and B of whole 16 bytes.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm_correctness_test.cpp.
#include "kernels/device/trace.cuh"
#include "kernels/device/unspecialized_loop.cuh"

namespace tilecast {

static_assert(kConfig.a_source == OperandSource::kShared || a_is_k_major(kLayout),
              "A goes through registers as rows of K");

/// Address of this lane's row for ldmatrix: sixteen rows by sixteen K elements of A.
__device__ inline u32 a_fragment_address(u32 a, i32 row, i32 step) {
  const u32 lane = threadIdx.x % 32;
  const i32 k = step * kWgmmaK;
  const u32 slab = a + (k / kSlab * kTiling.block_m) * kSlabRowBytes;
  const u32 offset = (row + lane % 16) * kSlabRowBytes + k % kSlab * kOperandBytes + lane / 16 * 16;
  constexpr u32 kSwizzled = (kSlabRowBytes / 16 - 1) << 4;
  return slab + (offset ^ ((offset >> 3) & kSwizzled));
}

/// mma_k_block with A loaded to registers first.
__device__ inline void mma_k_block_from_registers(Accumulator& acc, const SharedMemory& smem,
                                                  const OperandDescriptors& operands, i32 row) {
  constexpr i32 kSteps = kTiling.block_k / kWgmmaK;
  const i32 warp_row = row + threadIdx.x % kThreadsPerWarpgroup / 32 * 16;
  u32 a[kMmasAlongM][kSteps][4];
#pragma unroll
  for (i32 i = 0; i < kMmasAlongM; ++i) {
#pragma unroll
    for (i32 step = 0; step < kSteps; ++step) {
      ptx::ldmatrix_x4(a_fragment_address(smem.a(0), warp_row + i * kWgmmaM, step), a[i][step]);
    }
  }
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < kSteps; ++step) {
#pragma unroll
    for (i32 i = 0; i < kMmasAlongM; ++i) {
#pragma unroll
      for (i32 j = 0; j < kMmasAlongN; ++j) {
        ptx::wgmma_m64k16<kInstructionN, kElementType, kNMajorB>(
            acc.d[i][j], a[i][step], operands.b.moved(b_step_bytes(j, step)), step > 0);
      }
    }
  }
  ptx::wgmma_commit();
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kThreads, tilecast::kConfig.ctas_per_sm)
    tilecast_gemm(const __grid_constant__ tilecast::GemmArgs args) {
  using namespace tilecast;
  TileTimeline timeline;
  timeline.enter();
  extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
  const SharedMemory smem = SharedMemory::of(dynamic);
  if (threadIdx.x == kThreads - 1) {
    prefetch_tensor_maps(args);
  }
  constexpr ClusterPlace kAlone{0, 0, 0};
  set_up_stages(smem);

  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  const WarpgroupPlace place = WarpgroupPlace::of(warpgroup);
  const OperandDescriptors operands = OperandDescriptors::of(smem, place);
  const TileOrigin only_tile = TileOrigin::of(args, 0, 0);
  if (threadIdx.x == 0) {
    trace_tile(args, only_tile, 0);
  }
  timeline.begin(only_tile, 0, args.k_blocks);
  RingPosition load, at;
  if (warp == 0) {
    load_when_empty(args, smem, load, only_tile, 0, kAlone);
  }
  timeline.wait_first_operands(smem, at);
  wait_full(smem, at);
  Accumulator acc;
  load_epilogue(args, acc, only_tile, place);
  if constexpr (kConfig.a_source == OperandSource::kRegisters) {
    mma_k_block_from_registers(acc, smem, operands, place.row);
  } else {
    mma_k_block(acc, operands, at, false);
  }
  ptx::wgmma_wait<0>();
  acc.fence();
  timeline.multiplied();
  begin_residual(args, acc, only_tile, place);
  store_tile_where_staged(args, smem, acc, only_tile, place, warpgroup);
  timeline.stored();
  timeline.leave();
  finish_stores();
}
