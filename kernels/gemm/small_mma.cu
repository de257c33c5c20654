// One tile of one K block on one CTA: load A and B, multiply, store. The smallest kernel around a
// wgmma; shows the cost of A's source and of the instruction's width.
//
// A comes from shared memory, or through registers: each warp loads its sixteen rows by ldmatrix.
//
// Launch: one CTA of kThreads threads, a problem of at most one tile and one K block,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, 16-byte
// aligned rows of A and B.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm/random_gemm_test.cpp.
#include "kernels/device/trace.cuh"
#include "kernels/device/unspecialized_loop.cuh"

namespace tilecast {

/// Address of this lane's row for ldmatrix: 16 rows by 16 K elements of A.
template <class Config>
__device__ inline u32 a_fragment_address(u32 a, i32 row, i32 step) {
  const u32 lane = threadIdx.x % 32;
  const i32 k = step * Config::kInstructionK;
  const u32 slab = a + (k / Config::kSlab * Config::kTiling.block_m) * Config::kSlabRowBytes;
  const u32 offset = (row + lane % 16) * Config::kSlabRowBytes +
                     k % Config::kSlab * Config::kOperandBytes + lane / 16 * 16;
  constexpr u32 kSwizzled = (Config::kSlabRowBytes / 16 - 1) << 4;
  return slab + (offset ^ ((offset >> 3) & kSwizzled));
}

/// Does the same as mma_k_block, but loads A into registers first.
template <class Config>
__device__ inline void mma_k_block_from_registers(Accumulator<Config>& acc,
                                                  const SharedMemory<Config>& smem,
                                                  const OperandDescriptors& operands, i32 row) {
  constexpr i32 kSteps = Config::kSteps;
  const i32 warp_row = row + threadIdx.x % kThreadsPerWarpgroup / 32 * 16;
  u32 a[Config::kMmasAlongM][kSteps][4];
#pragma unroll
  for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
    for (i32 step = 0; step < kSteps; ++step) {
      ptx::ldmatrix_x4(a_fragment_address<Config>(smem.a(0), warp_row + i * kWgmmaM, step),
                       a[i][step]);
    }
  }
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < kSteps; ++step) {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
      for (i32 j = 0; j < Config::kMmasAlongN; ++j) {
        ptx::wgmma_m64k16_a_in_registers<Config::kInstructionN, Config::kElementType,
                                         !Config::kBKMajor>(
            acc.d[i][j], a[i][step], operands.b.moved(b_step_bytes<Config>(j, step)), step > 0);
      }
    }
  }
  ptx::wgmma_commit();
}

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(!Config::kAInRegisters || Config::kAKMajor,
                "A goes through registers as rows of K");
  constexpr ClusterPlace kAlone{0, 0, 0};
  const auto [smem, loads, warpgroup, place, operands] = MultiplyingWarpgroup<Config>::enter(args);
  const TileOrigin only_tile = TileOrigin::of(args, 0, 0);
  if (threadIdx.x == 0) {
    trace_tile(args, only_tile, 0);
  }
  RingPosition<Config> load, at;
  if (loads) {
    load_when_empty(args, smem, load, only_tile, 0, kAlone);
  }
  wait_full(smem, at);
  Accumulator<Config> acc;
  load_epilogue(args, acc, only_tile, place);
  if constexpr (Config::kAInRegisters) {
    mma_k_block_from_registers(acc, smem, operands, place.row);
  } else {
    mma_k_block(acc, operands, at, false);
  }
  ptx::wgmma_wait<0>();
  acc.fence();
  begin_residual(args, acc, only_tile, place);
  store_tile_where_staged(args, smem, acc, only_tile, place, warpgroup);
  finish_stores();
}

}  // namespace tilecast
