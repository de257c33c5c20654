// The roles of a specialised attention kernel: one thread loads, one stores, and each consumer
// warpgroup multiplies its 64 rows of every tile. The producer gives registers to the consumers.
//
// K and V each have a ring of stages, which the producer fills across tile boundaries in the order
// of the walk, from the last block to the first. Each warpgroup has a separate buffer for Q.
// Another thread stores the warpgroup's output from that buffer, and the next tile's Q is loaded
// after the store.
#pragma once

#include "kernels/attention/store.cuh"
#include "kernels/device/ring_position.h"

namespace tilecast {

/// The tiles of one CTA: every n-th tile, or tiles drawn from a counter by the producer, which
/// passes them on through two slots of shared memory.
template <class Config, bool kProduces>
class AttentionTiles {
 public:
  __device__ AttentionTiles(const AttentionArgs& args, const AttentionShared<Config>& smem)
      : args_(args), smem_(smem) {}

  __device__ i32 first() const { return static_cast<i32>(blockIdx.x); }
  __device__ bool has(i32 tile) const { return tile < args_.tiles; }
  __device__ i32 next(i32 tile) {
    const i32 workers = static_cast<i32>(gridDim.x);
    if constexpr (!Config::kDynamic) {
      return tile + workers;
    } else {
      u32 drawn;
      if constexpr (kProduces) {
        drawn = atomicAdd(args_.draws, 1u) + gridDim.x;
        ptx::mbarrier_wait(smem_.drawn_empty(slot_.index), slot_.phase ^ 1);
        ptx::store_shared<4>(smem_.drawn(slot_.index), {{drawn}});
        ptx::mbarrier_arrive(smem_.drawn_full(slot_.index));
      } else {
        ptx::mbarrier_wait(smem_.drawn_full(slot_.index), slot_.phase);
        drawn = ptx::load_shared<4>(smem_.drawn(slot_.index)).word[0];
        ptx::mbarrier_arrive(smem_.drawn_empty(slot_.index));
      }
      slot_.advance();
      return static_cast<i32>(drawn);
    }
  }
  /// Called by the producer at the end. The last CTA resets the counters.
  __device__ void leave() const {
    if constexpr (Config::kDynamic) {
      __threadfence();  // this CTA's draws are done
      if (atomicAdd(args_.draws + 1, 1u) == gridDim.x - 1) {
        args_.draws[0] = args_.draws[1] = 0;
      }
    }
  }

 private:
  const AttentionArgs& args_;
  const AttentionShared<Config>& smem_;
  BufferPosition<2> slot_;
};

/// Loads a block of keys, of K or V, into a stage.
template <class Config>
__device__ __forceinline__ void load_keys(const AttentionArgs& args, const TensorMap& map,
                                          const AttentionTile& tile, i32 block, u32 to,
                                          u32 barrier) {
  const i32 head = static_cast<i32>(args.heads_per_kv.quotient(static_cast<u32>(tile.head)));
  ptx::mbarrier_arrive_expect_tx(barrier, Config::kSmem.stage_bytes);
#pragma unroll
  for (i32 slab = 0; slab < Config::kSlabs; ++slab) {
    ptx::tma_load_5d(to + slab * Config::kKvSlabBytes, &map, slab * Config::kSlab, 0,
                     block * Config::kKvBlock, head, tile.batch, barrier);
  }
}

template <class Config>
__device__ __forceinline__ void load_queries(const AttentionArgs& args,
                                             const AttentionShared<Config>& smem,
                                             const AttentionTile& tile, i32 group, i32 slot) {
  const auto rows = WarpgroupRows<Config>::of(args, tile, group);
  ptx::mbarrier_arrive_expect_tx(smem.q_full(slot, group), Config::kLoadedQueryBytes);
#pragma unroll
  for (i32 slab = 0; slab < Config::kSlabs; ++slab) {
    ptx::tma_load_5d(smem.q(slot, group) + slab * Config::kQuerySlabBytes, &args.q,
                     slab * Config::kSlab, rows.head, rows.query, rows.set, tile.batch,
                     smem.q_full(slot, group));
  }
}

template <class Config>
using KvPosition = BufferPosition<Config::kStages>;
template <class Config>
using QueryPosition = BufferPosition<Config::kQuerySlots>;

template <class Config>
__device__ inline void produce(const AttentionArgs& args, const AttentionShared<Config>& smem) {
  KvPosition<Config> k, v;
  QueryPosition<Config> q;
  const auto load_k = [&](const AttentionTile& tile, i32 block) {
    ptx::mbarrier_wait(smem.k_empty(k.index), k.phase ^ 1);
    load_keys<Config>(args, args.k, tile, block, smem.k(k.index), smem.k_full(k.index));
    k.advance();
  };
  const auto load_v = [&](const AttentionTile& tile, i32 block) {
    ptx::mbarrier_wait(smem.v_empty(v.index), v.phase ^ 1);
    load_keys<Config>(args, args.v, tile, block, smem.v(v.index), smem.v_full(v.index));
    v.advance();
  };
  AttentionTiles<Config, true> tiles(args, smem);
  for (i32 t = tiles.first(); tiles.has(t); t = tiles.next(t)) {
    const AttentionTile tile = args.work.at(t);
    const i32 end = tile.first + tile.count;
    for (i32 step = 0; step <= tile.count; ++step) {
      if (step < tile.count) {
        load_k(tile, end - 1 - step);
      }
      if (step > 0) {
        load_v(tile, end - step);
        continue;
      }
#pragma unroll 1
      for (i32 group = 0; group < Config::kGroups; ++group) {
        ptx::mbarrier_wait(smem.q_empty(q.index, group), q.phase ^ 1);
        load_queries(args, smem, tile, group, q.index);
      }
      q.advance();
    }
  }
  tiles.leave();
}

/// Stores the warpgroups' output of each tile, so that the warpgroups need not wait for the stores.
template <class Config>
__device__ inline void send(const AttentionArgs& args, const AttentionShared<Config>& smem) {
  QueryPosition<Config> o;
  AttentionTiles<Config, false> tiles(args, smem);
  for (i32 t = tiles.first(); tiles.has(t); t = tiles.next(t)) {
    const AttentionTile tile = args.work.at(t);
    for (i32 group = 0; group < Config::kGroups; ++group) {
      ptx::mbarrier_wait(smem.o_full(o.index, group), o.phase);
      send_output<Config>(args, tile, group, smem.q(o.index, group));
      ptx::mbarrier_arrive(smem.q_empty(o.index, group));
    }
    o.advance();
  }
}

/// State of a consumer warpgroup during a tile.
template <class Config>
struct Walker {
  const AttentionShared<Config>& smem;
  i32 group;
  float scale;                  // softmax scale for powers of two
  SeenKeys<Config> seen{};      // keys that its rows attend to
  KvPosition<Config> k{}, v{};  // stages of K and V to multiply next
  QueryPosition<Config> q{};

  /// Issues S = Q K^T of the next stage of K, once its bytes have arrived.
  __device__ __forceinline__ void multiply_k(Scores<Config>& s) {
    ptx::mbarrier_wait(smem.k_full(k.index), k.phase);
    multiply_q_k<Config>(s, smem.q(q.index, group), smem.k(k.index));
  }
  /// Issues O += P V of the next stage of V, once its bytes have arrived.
  __device__ __forceinline__ void multiply_v(Sums<Config>& o, const Weights<Config>& p) {
    ptx::mbarrier_wait(smem.v_full(v.index), v.phase);
    multiply_p_v<Config>(o, p, smem.v(v.index));
  }
  /// Waits for all wgmmas except the last kPending groups; the stages that they read are then free.
  template <i32 kPending>
  __device__ __forceinline__ void finish_k(Scores<Config>& s) {
    ptx::wgmma_wait<kPending>();
    ptx::wgmma_fence_registers(s);
    release(smem.k_empty(k.index));
    k.advance();
  }
  template <i32 kPending>
  __device__ __forceinline__ void finish_v(Sums<Config>& o) {
    ptx::wgmma_wait<kPending>();
    ptx::wgmma_fence_registers(o);
    release(smem.v_empty(v.index));
    v.advance();
  }
  // Orders the warpgroups at the tensor cores: each one waits for the previous one, and later lets
  // the next one issue.
  __device__ __forceinline__ void take_turn() const {
    if constexpr (Config::kTurns) {
      ptx::named_barrier_sync(kFirstTurnBarrier + group, 2 * kGroupThreads);
    }
  }
  __device__ __forceinline__ void end_turn() const {
    if constexpr (Config::kTurns) {
      const i32 next = group + 1 < Config::kGroups ? group + 1 : 0;
      ptx::named_barrier_arrive(kFirstTurnBarrier + next, 2 * kGroupThreads);
    }
  }

 private:
  /// Called by each warp when its part of the warpgroup's wgmmas has completed.
  __device__ __forceinline__ void release(u32 barrier) const {
    if (ptx::elect_one()) {
      ptx::mbarrier_arrive(barrier);
    }
  }
};

/// Calls `add(block, masked)` for the tile's blocks from `block` down, of which the first are
/// masked.
template <class Add>
__device__ __forceinline__ void for_blocks_from(const AttentionTile& tile, i32 block,
                                                const Add& add) {
  for (; block >= tile.first + tile.count - tile.masked; --block) {
    add(block, true);
  }
  for (; block >= tile.first; --block) {
    add(block, false);
  }
}

/// Calls `attend(walker, tile, o, softmax)` for every tile of the CTA, and stores the resulting
/// `o`. Called by each thread of a consumer warpgroup.
template <class Config, class Attend>
__device__ __forceinline__ void consume(const AttentionArgs& args,
                                        const AttentionShared<Config>& smem, i32 group,
                                        Attend attend) {
  Walker<Config> walker{smem, group, args.scale_log2};
  AttentionTiles<Config, false> tiles(args, smem);
  if (group == Config::kGroups - 1) {
    walker.end_turn();  // lets the first warpgroup begin
  }
  for (i32 t = tiles.first(); tiles.has(t); t = tiles.next(t)) {
    const AttentionTile tile = args.work.at(t);
    walker.seen =
        SeenKeys<Config>::of(args.work, WarpgroupRows<Config>::of(args, tile, group).query);
    Sums<Config> o{};
    Softmax<Config> softmax;
    ptx::mbarrier_wait(smem.q_full(walker.q.index, group), walker.q.phase);
    attend(walker, tile, o, softmax);
    ptx::forget_origin(t);  // recomputes the tile's position instead of keeping it in registers
    store_tile(args, smem, t, group, walker.q.index, o, softmax);
    walker.q.advance();
  }
}

/// Initialises the barriers; called by one thread.
template <class Config>
__device__ __forceinline__ void initialise_barriers(const AttentionShared<Config>& smem) {
  constexpr i32 kConsumerWarps = Config::kGroups * 4;
  for (i32 stage = 0; stage < Config::kStages; ++stage) {
    ptx::mbarrier_init(smem.k_full(stage), 1);
    ptx::mbarrier_init(smem.v_full(stage), 1);
    ptx::mbarrier_init(smem.k_empty(stage), kConsumerWarps);
    ptx::mbarrier_init(smem.v_empty(stage), kConsumerWarps);
  }
  for (i32 group = 0; group < Config::kGroups; ++group) {
    for (i32 slot = 0; slot < Config::kQuerySlots; ++slot) {
      ptx::mbarrier_init(smem.q_full(slot, group), 1);
      ptx::mbarrier_init(smem.o_full(slot, group), kGroupThreads);
      ptx::mbarrier_init(smem.q_empty(slot, group), 1);
    }
  }
  for (i32 slot = 0; slot < 2; ++slot) {
    ptx::mbarrier_init(smem.drawn_full(slot), 1);
    ptx::mbarrier_init(smem.drawn_empty(slot),
                       Config::kGroups * kGroupThreads + (Config::kSplits ? 0 : 1));
  }
  ptx::fence_mbarrier_init();
}

/// The producer initialised the barriers and continues before the CTA synchronises.
template <class Config, class Attend>
__device__ __forceinline__ void run_specialized(const AttentionArgs& args, Attend attend) {
  constexpr u32 kWholeCta = 0;
  const auto smem = AttentionShared<Config>::here();
  const i32 warp = ptx::uniform_warp_index(), group = warp / 4;
  const bool produces = warp == Config::kGroups * 4, sends = warp == Config::kGroups * 4 + 1;
  if (produces) {
    if (ptx::elect_one()) {
      for (const TensorMap* map : {&args.k, &args.q, &args.v, &args.o}) {
        ptx::prefetch_tensor_map(map);
      }
      initialise_barriers(smem);
    }
    __syncwarp();
    ptx::named_barrier_arrive(kWholeCta, Config::kThreads);
  } else {
    ptx::named_barrier_sync(kWholeCta, Config::kThreads);
  }
  if (group == Config::kGroups) {
    ptx::setmaxnreg_dec<Config::kRegisters.producer>();
    if (produces && ptx::elect_one()) {
      produce<Config>(args, smem);
    } else if (sends && !Config::kSplits && ptx::elect_one()) {
      send<Config>(args, smem);
    }
  } else {
    ptx::setmaxnreg_inc<Config::kRegisters.consumer>();
    consume<Config>(args, smem, group, attend);
  }
}

}  // namespace tilecast
