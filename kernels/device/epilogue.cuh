// Moves accumulators to C: scales, applies the epilogue and rounds; stages chunks of 64 rows x up
// to 64 columns in shared memory (c_chunk.cuh), by stmatrix if C has 16 bits; stores them with the
// copy engine, or with plain stores if C's rows are not 16-byte multiples.
//
// A warpgroup with dedicated slots works independently: the next chunk fills one slot while the
// previous chunk is read from another. With a slot per chunk, the next tile's wgmmas start before
// the slots have been read. Otherwise the tile waits until no warpgroup reads the stages that C's
// slots alias.
#pragma once

#include "kernels/device/packing.cuh"

namespace tilecast {

/// Named barrier of all consumers; its id comes after those of the warpgroups' barriers.
template <class Config>
constexpr u32 kConsumersBarrier = kFirstWarpgroupBarrier + Config::kConsumerWarpgroups;

/// First row and column of C of a warpgroup's part of a tile.
__device__ inline TileOrigin part_origin(const TileOrigin& tile, const WarpgroupPlace& place) {
  TileOrigin part = tile;
  part.m += place.row;
  part.n += place.column;
  part.a_rows = 0;
  return part;
}

/// Loads the bias and scales of a warpgroup's part of a tile, well before the accumulators are
/// complete.
template <class Config>
__device__ inline void load_epilogue(const Args<Config>& args, Accumulator<Config>& acc,
                                     const TileOrigin& tile, const WarpgroupPlace& place) {
  const TileOrigin part = part_origin(tile, place);
  acc.bias.load(args, part.m, part.n);
  acc.scales.load(args, part, place.row);
  if constexpr (Config::kLoads && !Config::kResidualInRing && !Config::kMmaSync) {
    if (args.result.residual_by_tma != 0 && ptx::uniform_warp_index() % kWarpsPerWarpgroup == 0 &&
        ptx::elect_one()) {
      fetch_residual(args, part);
    }
    __syncwarp();
  }
}

template <class Config>
__device__ inline void stage_sixteen(u32 slot, const Chunk<Config>& chunk, i32 sixteen,
                                     const Pairs<Config>& pairs) {
  if constexpr (!Config::kStagesMatrices || Config::kMmaSync) {  // stmatrix requires Hopper
    stage_words(slot, chunk, sixteen, pairs);
    return;
  } else {
    const u32 lane = threadIdx.x % 32;
    const u32 first_row = threadIdx.x % kThreadsPerWarpgroup / 32 * 16;
    if constexpr (Config::kSwapped) {
      const u32 column = sixteen * 16 + lane / 16 * 8 + lane % 8;
      const u32 at = slot + slot_offset(chunk, column, first_row / 8 + lane / 8 % 2);
      if (chunk.is_half(sixteen)) {
        ptx::stmatrix_x2<true>(at, pairs[0], pairs[1]);
      } else {
        ptx::stmatrix_x4<true>(at, pairs[0], pairs[1], pairs[2], pairs[3]);
      }
      return;
    }
    if constexpr (Config::kLastColumns > 0 && Config::kLastColumns % 16 != 0) {
      if (chunk.is_half(sixteen)) {
        ptx::stmatrix_x2(slot + slot_offset(chunk, first_row + lane % 16, sixteen * 2), pairs[0],
                         pairs[1]);
        return;
      }
    }
    ptx::stmatrix_x4(slot + slot_offset(chunk, first_row + lane % 16, sixteen * 2 + lane / 16),
                     pairs[0], pairs[1], pairs[2], pairs[3]);
  }
}

/// Writes one chunk of the accumulators into a slot.
template <class Config>
__device__ inline void stage_chunk(const Args<Config>& args, u32 slot, Accumulator<Config>& acc,
                                   const Chunk<Config>& chunk, const TileOrigin& part) {
#pragma unroll
  for (i32 sixteen = 0; sixteen < chunk.sixteens(); ++sixteen) {
    Pairs<Config> pairs;
    pack_sixteen(args, acc, chunk, sixteen, part, pairs);
    stage_sixteen(slot, chunk, sixteen, pairs);
  }
}

/// Whether the copy engine cannot write C's rows.
template <class Config>
__device__ inline bool stores_plainly(const Args<Config>& args) {
  return !Config::kSwapped && args.c_by_tma == 0;
}

/// Copies a chunk to C with eight lanes per row. C's rows must be 16-byte aligned.
template <class Config>
__device__ inline void store_chunk_rows(const Args<Config>& args, u32 slot,
                                        const Chunk<Config>& chunk, const TileOrigin& part) {
  const i32 thread = static_cast<i32>(threadIdx.x) % kThreadsPerWarpgroup;
  const i32 first_row = part.m + chunk.i * kWgmmaM, in_row = thread % 8;
  const i32 column = part.n + chunk.column + in_row * 8;
  if (in_row * 8 >= chunk.columns || column >= args.n) {
    return;
  }
#pragma unroll
  for (i32 row = thread / 8; row < kWgmmaM; row += kThreadsPerWarpgroup / 8) {
    if (first_row + row < part.rows_end(args)) {
      ptx::store_global<16, false>(c_element(args, part.product, first_row + row, column),
                                   ptx::load_shared<16>(slot + slot_offset(chunk, row, in_row)), 0);
    }
  }
}

/// Copies a chunk to C row by row, one row per warp, clipped at m and n.
template <class Config>
__device__ inline void store_chunk_plain(const Args<Config>& args, u32 slot,
                                         const Chunk<Config>& chunk, const TileOrigin& part) {
  if constexpr (!Config::kStagesMatrices) {
    store_chunk_elements(args, slot, chunk, part);
    return;
  }
  if (Config::kMmaSync && args.n % 8 == 0) {
    store_chunk_rows(args, slot, chunk, part);
    return;
  }
  const i32 lane = threadIdx.x % 32;
  const i32 warp = threadIdx.x % kThreadsPerWarpgroup / 32;
  const i32 first_row = part.m + chunk.i * kWgmmaM;
  const i32 column = part.n + chunk.column + lane * 2;
  const bool whole_pairs = args.n % 2 == 0;
  if (lane * 2 >= chunk.columns || column >= args.n) {
    return;
  }
  for (i32 row = warp; row < kWgmmaM && first_row + row < part.rows_end(args);
       row += kWarpsPerWarpgroup) {
    const u32 pair = ptx::load_shared_u32(slot + slot_offset(chunk, row, lane / 4) + lane % 4 * 4);
    unsigned short* c = c_element(args, part.product, first_row + row, column);
    if (whole_pairs) {
      *reinterpret_cast<u32*>(c) = pair;
    } else {
      c[0] = static_cast<unsigned short>(pair);
      if (column + 1 < args.n) {
        c[1] = static_cast<unsigned short>(pair >> 16);
      }
    }
  }
}

template <class Config>
__device__ inline const TensorMap* c_map(const Args<Config>& args, const Chunk<Config>& chunk) {
  if constexpr (Config::kLastColumns > 0) {
    if (chunk.has_own_box()) {
      return &args.c_last;
    }
  }
  return &args.c;
}

/// Issues the bulk stores of one chunk; called by one thread.
template <class Config>
__device__ inline void store_chunk(const Args<Config>& args, u32 slot, const Chunk<Config>& chunk,
                                   const TileOrigin& part) {
  const TensorMap* const map = c_map(args, chunk);
  constexpr i32 kTogether = Config::kGates ? 2 : 1;  // columns of A B per column of C
#pragma unroll
  for (i32 box = 0; box < chunk.boxes(); ++box) {
    if constexpr (Config::kGrouped) {  // clipped like the loads (k_groups.cuh): nothing past the
                                       // end of the group
      const i32 end = part.rows_end(args);
      ptx::tma_store_4d(
          map, slot + box * Config::kBoxBytes, part.n + chunk.column + box * Config::kBoxColumns,
          most_ragged_rows() - end + part.m + chunk.i * kWgmmaM, end, most_ragged_rows());
    } else if constexpr (Config::kBatched) {
      const i32 column = (part.n + chunk.column + box * Config::kBoxColumns) / kTogether;
      const i32 row = part.m + chunk.i * kWgmmaM;
      ptx::tma_store_3d(map, slot + box * Config::kBoxBytes, Config::kSwapped ? row : column,
                        Config::kSwapped ? column : row, c_matrix(args, part));
    } else {
      const i32 column = (part.n + chunk.column + box * Config::kBoxColumns) / kTogether;
      const i32 row = part.m + chunk.i * kWgmmaM;
      ptx::tma_store_2d(map, slot + box * Config::kBoxBytes, Config::kSwapped ? row : column,
                        Config::kSwapped ? column : row);
    }
  }
}

/// Stores chunk `index` of a tile, counted from 0, through one of the warpgroup's dedicated slots.
/// Called by every thread of the warpgroup; `stage(slot, chunk)` fills the slot.
template <class Config, class Stage>
__device__ inline void store_through_slot(const Args<Config>& args,
                                          const SharedMemory<Config>& smem, i32 index,
                                          const TileOrigin& part, i32 warpgroup, Stage stage) {
  constexpr i32 kSlots = max_of(1, min_of(Config::kTiling.c_slots, Config::kChunks));
  // The same thread issues all stores, so that it can wait for them.
  const bool stores = ptx::uniform_warp_index() % kWarpsPerWarpgroup == 0;
  const u32 barrier = kFirstWarpgroupBarrier + warpgroup;
  const Chunk<Config> chunk = Chunk<Config>::at(index);
  const u32 slot = smem.c(warpgroup, index % kSlots);
  if (index == 0 || index >= kSlots) {
    if (stores && ptx::elect_one()) {
      if (index == 0) {
        ptx::tma_store_wait_read<0>();  // waits for the previous tile's stores
      } else {
        ptx::tma_store_wait_read<kSlots - 1>();
      }
    }
    ptx::named_barrier_sync(barrier, kThreadsPerWarpgroup);
  }
  stage(slot, chunk);
  ptx::fence_proxy_async();
  ptx::named_barrier_sync(barrier, kThreadsPerWarpgroup);
  if (stores_plainly(args)) {
    store_chunk_plain(args, slot, chunk, part);
  } else if (stores && ptx::elect_one()) {
    store_chunk(args, slot, chunk, part);
    ptx::tma_store_commit();
  }
}

/// Starts the first loads of R for a warpgroup's part of a tile, before accumulators are complete.
template <class Config>
__device__ inline void begin_residual(const Args<Config>& args, Accumulator<Config>& acc,
                                      const TileOrigin& tile, const WarpgroupPlace& place) {
  if constexpr (!Config::kResidualInRing) {
    acc.residual.begin(args, part_origin(tile, place));
  }
}

/// Stores the first kCount chunks of a part through dedicated slots. Called by every thread of the
/// warpgroup. `warpgroup`: its index among the CTA's consumers.
template <i32 kCount, class Config>
__device__ inline void store_chunks(const Args<Config>& args, const SharedMemory<Config>& smem,
                                    Accumulator<Config>& acc, const TileOrigin& part,
                                    i32 warpgroup) {
#pragma unroll
  for (i32 index = 0; index < kCount; ++index) {
    store_through_slot(
        args, smem, index, part, warpgroup,
        [&](u32 slot, const Chunk<Config>& chunk) { stage_chunk(args, slot, acc, chunk, part); });
  }
}

/// Stores a tile once the warpgroup's wgmmas are complete; `place` is the warpgroup's position in
/// the tile.
template <class Config>
__device__ inline void store_tile(const Args<Config>& args, const SharedMemory<Config>& smem,
                                  Accumulator<Config>& acc, const TileOrigin& tile,
                                  const WarpgroupPlace& place, i32 warpgroup) {
  const TileOrigin part = part_origin(tile, place);
  acc.amax.begin();
  store_chunks<Config::kChunks>(args, smem, acc, part, warpgroup);
  acc.amax.publish(args);
}

/// Stores a tile through slots that alias stages into which no load is in flight. `slot_of(i)` is
/// the address of the CTA's i-th slot. Called by every consumer of the CTA once its wgmmas are
/// complete. The first consumer warp issues all stores, and waits for their reads before the stages
/// are loaded again.
template <class Config, class SlotOf>
__device__ inline void store_tile_borrowing(const Args<Config>& args, Accumulator<Config>& acc,
                                            const TileOrigin& tile, const WarpgroupPlace& place,
                                            i32 warpgroup, SlotOf slot_of) {
  constexpr u32 kConsumers = Config::kConsumerWarpgroups * kThreadsPerWarpgroup;
  const TileOrigin part = part_origin(tile, place);
  acc.amax.begin();
  ptx::named_barrier_sync(kConsumersBarrier<Config>,
                          kConsumers);  // all consumers are done reading the stages
#pragma unroll
  for (i32 index = 0; index < Config::kChunks; ++index) {
    stage_chunk(args, slot_of(warpgroup * Config::kChunks + index), acc, Chunk<Config>::at(index),
                part);
  }
  acc.amax.publish(args);
  ptx::fence_proxy_async();
  ptx::named_barrier_sync(kConsumersBarrier<Config>, kConsumers);
  if (!Config::kSwapped && args.c_by_tma == 0) {
#pragma unroll
    for (i32 index = 0; index < Config::kChunks; ++index) {
      store_chunk_plain(args, slot_of(warpgroup * Config::kChunks + index),
                        Chunk<Config>::at(index), part);
    }
    ptx::fence_proxy_async();
    ptx::named_barrier_sync(kConsumersBarrier<Config>, kConsumers);
  } else if (ptx::uniform_warp_index() == 0 && ptx::elect_one()) {
    for (i32 w = 0; w < Config::kConsumerWarpgroups; ++w) {
      const TileOrigin part_of_w = part_origin(tile, WarpgroupPlace::of<Config>(w));
#pragma unroll
      for (i32 index = 0; index < Config::kChunks; ++index) {
        store_chunk(args, slot_of(w * Config::kChunks + index), Chunk<Config>::at(index),
                    part_of_w);
      }
    }
    ptx::tma_store_commit();
  }
}

/// Stores a tile like store_tile_borrowing, in kernels without the copy engine; each warpgroup
/// stores its part.
template <class Config>
__device__ inline void store_tile_by_threads(const Args<Config>& args,
                                             const SharedMemory<Config>& smem,
                                             Accumulator<Config>& acc, const TileOrigin& tile,
                                             const WarpgroupPlace& place, i32 warpgroup) {
  const TileOrigin part = part_origin(tile, place);
  const auto slot_of = [&](i32 index) {
    return smem.base + (warpgroup * Config::kChunks + index) * Config::kSmem.c_slot_bytes;
  };
  acc.amax.begin();
  ptx::named_barrier_sync(kConsumersBarrier<Config>,
                          Config::kConsumerWarpgroups * kThreadsPerWarpgroup);
#pragma unroll
  for (i32 index = 0; index < Config::kChunks; ++index) {
    stage_chunk(args, slot_of(index), acc, Chunk<Config>::at(index), part);
  }
  acc.amax.publish(args);
  ptx::named_barrier_sync(kFirstWarpgroupBarrier + warpgroup, kThreadsPerWarpgroup);
#pragma unroll
  for (i32 index = 0; index < Config::kChunks; ++index) {
    store_chunk_plain(args, slot_of(index), Chunk<Config>::at(index), part);
  }
}

/// Stores through the CTA's dedicated slots. If C aliases the operand stages, stores through the
/// drained ring; such a CTA has a single tile.
template <class Config>
__device__ inline void store_tile_where_staged(const Args<Config>& args,
                                               const SharedMemory<Config>& smem,
                                               Accumulator<Config>& acc, const TileOrigin& tile,
                                               const WarpgroupPlace& place, i32 warpgroup) {
  if constexpr (Config::kCBorrows) {
    store_tile_borrowing(args, acc, tile, place, warpgroup,
                         [&](i32 i) { return smem.base + i * Config::kSmem.c_slot_bytes; });
  } else {
    store_tile(args, smem, acc, tile, place, warpgroup);
  }
}

/// Called before the CTA ends: its shared memory must outlive the stores that read it.
__device__ inline void finish_stores() { ptx::tma_store_wait_read<0>(); }

}  // namespace tilecast
