// Warp-specialised GEMM whose workers may share tiles along K: split-K, stream-K and their hybrids.
//
// Like warp_specialized.cu, but workers walk pieces of tiles
// (model/gemm/order/work_decomposition.h). The producer runs ahead across pieces as across tiles.
// Consumers of the piece with the tile's last K blocks add the partial sums of the other pieces and
// store C; consumers of those pass on their partial sums (kernels/device/reduction.cuh).
//
// Launch: a cluster of CTAs for each worker of args.work, all resident if the reduction is spread
// (if another kernel prevents that, it traps), launches with the same workspace in one stream,
// kThreads threads, kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of
// gemm_args.h, 16-byte aligned rows of A and B, a workspace as reduction_workspace.h sizes it.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm/random_gemm_test.cpp
// (results), validate/measure/gemm/tile_trace_test.cpp (order of pieces).
#include "kernels/device/consumer.cuh"
#include "kernels/device/epilogue.cuh"
#include "kernels/device/reduction.cuh"
#include "kernels/device/specialized_roles.cuh"

namespace tilecast {

template <class Config>
__device__ void produce_pieces(const Args<Config>& args, const SharedMemory<Config>& smem,
                               const ClusterPlace& place) {
  const WorkDecomposition& work = args.work;
  const u32 worker = blockIdx.x / Config::kClusterSize;
  RingPosition<Config> at;
  u32 index = 0;
  for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
    const TileOrigin tile = tile_origin(args, p.tile, place);
    trace_piece(args, tile, p.k_begin, p.k_end, index++);
    for (i32 k_block = p.k_begin; k_block < p.k_end; ++k_block) {
      wait_empty(smem, at);
      load_k_block(args, smem, at, tile, k_block, place);
      at.advance();
    }
  }
  let_next_kernel_begin<Config>();
  outlast_peers(smem, at);
}

template <class Config>
__device__ void consume_pieces(const Args<Config>& args, const SharedMemory<Config>& smem,
                               const ClusterPlace& cta, i32 warpgroup) {
  const WorkDecomposition& work = args.work;
  const u32 worker = blockIdx.x / Config::kClusterSize;
  const WarpgroupPlace place = WarpgroupPlace::of<Config>(warpgroup);
  const OperandDescriptors operands = OperandDescriptors::of(smem, place);
  RingPosition<Config> at;
  for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
    Accumulator<Config> acc;
    load_epilogue(args, acc, tile_origin(args, p.tile, cta), place);
    multiply_stages(smem, operands, at, acc, p.k_blocks(), cta, [] {});
    if (!work.is_whole(p)) {
      const SharedPart part = SharedPart::of(args, p, cta, warpgroup);
      if (args.reduction == Reduction::kSpread) {
        reduce_spread(args, part, acc, p,
                      [&] { return part_origin(tile_origin(args, p.tile, cta), place); });
        continue;
      }
      if (!work.owns(p)) {
        hand_on(part, acc, p, args.reduction);
        continue;
      }
      take_over(part, acc, p, args.reduction);
    }
    begin_residual(args, acc, tile_origin(args, p.tile, cta), place);
    store_tile(args, smem, acc, tile_origin(args, p.tile, cta), place, warpgroup);
  }
  finish_stores();
}

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(!Config::kCBorrows, "the ring is loaded for the next piece while C is stored");
  run_specialized(args, SharedMemory<Config>::here(), produce_pieces<Config>,
                  consume_pieces<Config>, clear_sums<Config>);
}

}  // namespace tilecast
