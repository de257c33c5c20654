// Warp-specialised, cooperative GEMM: one tile per CTA or persistent.
//
// One producer warpgroup keeps the ring of stages full, across tile boundaries; the consumer
// warpgroups divide each tile's rows or columns among themselves. The producer gives registers to
// the consumers. A cluster shares operands by multicast: every CTA loads its slice for all. With
// store=deferred a tile is stored during the next tile's K blocks (deferred_store.cuh).
//
// Launch: a cluster of CTAs for each of make_tile_scheduler's workers, kThreads threads,
// kSmem.total_bytes of dynamic shared memory and bytes_beside_layout, tensor maps with the boxes of
// gemm_args.h, 16-byte aligned rows of A and B.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm/random_gemm_test.cpp
// (results), validate/measure/gemm/tile_trace_test.cpp (order of tiles).
#include "kernels/device/consumer.cuh"
#include "kernels/device/deferred_store.cuh"
#include "kernels/device/residual_ring.cuh"
#include "kernels/device/specialized_roles.cuh"

namespace tilecast {

template <class Config>
__device__ void consume(const Args<Config>& args, const SharedMemory<Config>& smem,
                        const ClusterPlace& cta, i32 warpgroup) {
  const TileScheduler& scheduler = scheduler_of(args);
  const u32 worker = blockIdx.x / Config::kClusterSize;
  const u32 end = scheduler.end(worker);
  const WarpgroupPlace place = WarpgroupPlace::of<Config>(warpgroup);
  const OperandDescriptors operands = OperandDescriptors::of(smem, place);
  RingPosition<Config> at;
  DeferredStore<Config> deferred;
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    Accumulator<Config> acc;
    load_epilogue(args, acc, tile_origin(args, t, cta), place);
    multiply_stages(
        smem, operands, at, acc, k_blocks_of(args, t, cta), cta, [] {},
        [&] { deferred.store_one(args, smem, warpgroup); });
    const TileOrigin tile = tile_origin(args, t, cta);
    if constexpr (Config::kDefers) {
      deferred.store_rest(args, smem, warpgroup);
      begin_residual(args, acc, tile, place);
      add_residual(args, smem, at, acc, tile, place, cta, warpgroup);
      deferred.keep(args, smem, acc, tile, place, warpgroup);
    } else {
      begin_residual(args, acc, tile, place);
      add_residual(args, smem, at, acc, tile, place, cta, warpgroup);
      store_tile_where_staged(args, smem, acc, tile, place, warpgroup);
    }
  }
  deferred.store_rest(args, smem, warpgroup);
  finish_stores();
}

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  run_specialized(args, smem, produce<Config>, consume<Config>);
}

}  // namespace tilecast
