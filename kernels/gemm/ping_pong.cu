// Ping-pong GEMM: persistent, with one producer and two consumer warpgroups that take tiles
// alternately, so that the epilogue of one overlaps the wgmmas of the other.
//
// Each tile belongs to one warpgroup, which skips the stages of the other's. A named barrier per
// warpgroup hands over the tensor cores once all stages of the tile have arrived. Without it a
// consumer could wait for a stage more than one round of the ring ahead, and the barrier's parity
// would no longer identify the round. A cluster shares operands by multicast.
//
// Launch: a cluster of CTAs for each of make_tile_scheduler's workers, kThreads threads,
// kSmem.total_bytes of dynamic shared memory and bytes_beside_layout, tensor maps with the boxes of
// gemm_args.h, 16-byte aligned rows of A and B.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm/random_gemm_test.cpp
// (results), validate/measure/gemm/tile_trace_test.cpp (order of tiles).
#include "kernels/device/consumer.cuh"
#include "kernels/device/epilogue.cuh"
#include "kernels/device/residual_ring.cuh"
#include "kernels/device/specialized_roles.cuh"

namespace tilecast {

/// Barriers that pass on the tensor cores; their ids come after those of the epilogue.
template <class Config>
constexpr u32 kFirstTurnBarrier = kConsumersBarrier<Config> + 1;
constexpr u32 kTurnThreads = 2 * kThreadsPerWarpgroup;  // one warpgroup arrives, the other waits

/// Number of stages that a tile uses.
template <class Config>
__device__ inline i32 stages_of(const Args<Config>& args, u32 linear, const ClusterPlace& cta) {
  i32 stages = k_blocks_of(args, linear, cta);
  if constexpr (Config::kResidualInRing) {
    stages +=
        args.result.residual_by_tma != 0 ? ceil_div(Config::kChunks, Config::kResidualChunks) : 0;
  }
  return stages;
}

/// Advances the ring position past one tile.
template <class Config>
__device__ inline void skip_tile(RingPosition<Config>& at, i32 stages) {
  const i32 position = at.stage + stages;
  at.stage = position % Config::kTiling.stages;
  at.phase ^= position / Config::kTiling.stages & 1;
}

template <class Config>
__device__ void consume(const Args<Config>& args, const SharedMemory<Config>& smem,
                        const ClusterPlace& cta, i32 warpgroup) {
  const TileScheduler& scheduler = scheduler_of(args);
  const u32 worker = blockIdx.x / Config::kClusterSize;
  const u32 end = scheduler.end(worker);
  const WarpgroupPlace whole_tile{0, 0};
  const OperandDescriptors operands = OperandDescriptors::of(smem, whole_tile);
  RingPosition<Config> at;
  i32 turn = 0;
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    if (turn == warpgroup) {
      if (t != scheduler.first(worker)) {
        ptx::named_barrier_sync(kFirstTurnBarrier<Config> + warpgroup, kTurnThreads);
      }
      Accumulator<Config> acc;
      load_epilogue(args, acc, tile_origin(args, t, cta), whole_tile);
      multiply_stages(smem, operands, at, acc, k_blocks_of(args, t, cta), cta, [&] {
        begin_residual(args, acc, tile_origin(args, t, cta), whole_tile);
        if (scheduler.next(t) < end) {
          await_residual(args, smem, at);
          ptx::named_barrier_arrive(kFirstTurnBarrier<Config> + (warpgroup ^ 1), kTurnThreads);
        }
      });
      add_residual(args, smem, at, acc, tile_origin(args, t, cta), whole_tile, cta, warpgroup);
      store_tile(args, smem, acc, tile_origin(args, t, cta), whole_tile, warpgroup);
    } else {
      skip_tile<Config>(at, stages_of(args, t, cta));
    }
    turn ^= 1;
  }
  finish_stores();
}

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(!Config::kCBorrows, "the ring serves the other warpgroup during an epilogue");
  static_assert(warpgroups_per_tile(Config::kTiling) == 1, "a tile belongs to one warpgroup");
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  run_specialized(args, smem, produce<Config>, consume<Config>);
}

}  // namespace tilecast
