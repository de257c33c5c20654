// Multistage GEMM whose CTAs loop over pieces of tiles split along K. Partial sums are reduced as
// in stream_k.cu, by turnstile or spread.
//
// Launch: one CTA per worker of args.work, kThreads threads, kSmem.total_bytes of dynamic
// shared memory, a_plain and b_plain instead of tensor maps, 16-byte aligned rows of A and B;
// locks are zero. Checked by: kernels/jit/gemm_launch_test.cpp and
// validate/measure/gemm/random_gemm_test.cpp (results),
// validate/measure/gemm/tile_trace_test.cpp (order of tiles).
#include "kernels/device/mma_sync_loop.cuh"
#include "kernels/device/reduction.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(Config::kCBorrows && Config::kClusterSize == 1, "C is staged in the drained ring");
  constexpr ClusterPlace kAlone{0, 0, 0};
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  const i32 warpgroup = ptx::uniform_warp_index() / kWarpsPerWarpgroup;
  const WarpgroupPlace place = WarpgroupPlace::of<Config>(warpgroup);
  const WorkDecomposition& work = args.work;
  RingState<Config> ring;
  u32 index = 0;
  for (WorkPiece p = work.first(blockIdx.x); work.valid(p); p = work.next(blockIdx.x, p)) {
    const TileOrigin tile = tile_origin(args, p.tile, kAlone);
    if (threadIdx.x == 0) {
      trace_piece(args, tile, p.k_begin, p.k_end, index++);
    }
    Accumulator<Config> acc;
    multiply_by_threads(args, smem, acc, tile, place, p.k_begin, p.k_end, ring);
    bool stores = true;
    if (!work.is_whole(p)) {
      const SharedPart part = SharedPart::of(args, p, kAlone, warpgroup);
      stores = args.reduction != Reduction::kSpread && work.owns(p);
      if (args.reduction == Reduction::kSpread) {
        reduce_spread(args, part, acc, p, [&] { return part_origin(tile, place); });
      } else if (stores) {
        take_over(part, acc, p, Reduction::kTurnstile);
      } else {
        hand_on(part, acc, p, Reduction::kTurnstile);
      }
    }
    if (stores) {
      begin_residual(args, acc, tile, place);
      store_tile_by_threads(args, smem, acc, tile, place, warpgroup);
    }
    __syncthreads();  // the stages have been read, also by C's stores
  }
}

}  // namespace tilecast
