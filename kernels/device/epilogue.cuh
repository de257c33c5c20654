// Accumulators to C: scaled, the epilogue taken, rounded to 16 bits, staged in shared memory by
// stmatrix in chunks of 64 rows x up to 64 columns, then stored by the copy engine, or by plain
// stores where C's rows are not 16-byte multiples.
//
// A chunk lies in a slot as boxes of whole swizzle rows, one bulk store each; or, where its columns
// are an odd multiple of eight, as one box of rows one after the other. Of swapped operands it lies
// there transposed, each column as a swizzle row of 64 elements of C. With slots of its own
// a warpgroup works alone: the next chunk fills while the last one drains, and with a slot for
// every chunk the next tile's wgmmas start while all of them drain. Without, the tile waits until
// no warpgroup reads the stages that it borrows.
#pragma once

#include "kernels/device/activation.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr i32 kSlotColumns = c_slot_columns(kTiling);
constexpr i32 kBoxColumns = c_box_columns(kTiling);
constexpr i32 kBoxRowBytes = kBoxColumns * kOperandBytes;
constexpr i32 kBoxBytes = kWgmmaM * kBoxRowBytes;
constexpr i32 kChunksAcross = ceil_div(kWarpgroupColumns, kSlotColumns);
constexpr i32 kChunks = c_chunks(kTiling);

/// Named barriers: 0 is __syncthreads, 1 onwards one for each warpgroup, then all consumers.
constexpr u32 kFirstWarpgroupBarrier = 1;
constexpr u32 kConsumersBarrier = kFirstWarpgroupBarrier + kConsumerWarpgroups;

/// One chunk of a warpgroup's part of a tile.
struct Chunk {
  i32 i;        // wgmma row
  i32 column;   // first one, counted in the warpgroup's part
  i32 columns;  // the last one of a row may be narrower

  /// Whether its rows lie one after the other, in a box of their own tensor map.
  __device__ constexpr bool unswizzled() const {
    return c_last_columns(kTiling) > 0 && columns % 16 != 0;
  }
  __device__ constexpr i32 boxes() const { return unswizzled() ? 1 : columns / kBoxColumns; }
  /// Columns are taken sixteen at a time, of which the last may be the half.
  __device__ constexpr i32 sixteens() const { return columns / 16 + (unswizzled() ? 1 : 0); }
  __device__ constexpr bool is_half(i32 sixteen) const {
    return unswizzled() && sixteen == columns / 16;
  }

  __device__ static constexpr Chunk at(i32 index) {
    const i32 column = index % kChunksAcross * kSlotColumns;
    return {index / kChunksAcross, column, min_of(kSlotColumns, kWarpgroupColumns - column)};
  }
};

/// First row and column of C of a warpgroup's part of a tile.
__device__ inline TileOrigin part_origin(const TileOrigin& tile, const WarpgroupPlace& place) {
  TileOrigin part = tile;
  part.m += place.row;
  part.n += place.column;
  part.a_rows = 0;
  return part;
}

/// The bias and the scales of a warpgroup's part of a tile, well before the sums are complete.
__device__ inline void load_epilogue(const GemmArgs& args, Accumulator& acc, const TileOrigin& tile,
                                     const WarpgroupPlace& place) {
  const TileOrigin part = part_origin(tile, place);
  acc.bias.load(args, part.m, part.n);
  // A group's tiles begin anywhere, and the scales that it may have are counted in the tile.
  acc.scales.load(args, grouped() ? place.row : part.m, part.n);
}

/// Byte offset in a chunk's slot of 16-byte column `sixteenth` (eight elements) of row `row`,
/// swizzled as the tensor map of C; rows and columns as they lie there.
__device__ inline u32 slot_offset(const Chunk& chunk, u32 row, u32 sixteenth) {
  if constexpr (swapped()) {
    return row * kSwizzleBytes + ((sixteenth ^ row % kSwizzleAtomRows) << 4);
  }
  if (chunk.unswizzled()) {
    return row * (c_last_columns(kTiling) * kOperandBytes) + sixteenth * 16;
  }
  constexpr u32 kPerBox = kBoxRowBytes / 16;
  const u32 in_box = row * kBoxRowBytes + sixteenth % kPerBox * 16;
  constexpr u32 kSwizzled = (kPerBox - 1) << 4;
  return sixteenth / kPerBox * kBoxBytes + (in_box ^ ((in_box >> 3) & kSwizzled));
}

/// alpha times a thread's two neighbours in one row, plus beta * C; out of bounds of C nothing.
__device__ inline void scale(const GemmArgs& args, i32 product, i32 row, i32 column,
                             float (&pair)[2]) {
  pair[0] *= args.alpha;
  pair[1] *= args.alpha;
  if (args.beta == 0 || row >= args.m) {
    return;
  }
  const unsigned short* c = c_element(args, product, row, column);
#pragma unroll
  for (i32 i = 0; i < 2; ++i) {
    if (column + i < args.n) {
      pair[i] += args.beta * ptx::value_of_bits(c[i * c_next_column(args)], kCType);
    }
  }
}

/// Eight columns of a thread's accumulators as two packed pairs, scaled; row and column are the
/// first element's in C.
__device__ inline void pack_scaled(const GemmArgs& args, const float* v, i32 product, i32 row,
                                   i32 column, u32* packed) {
#pragma unroll
  for (i32 half = 0; half < 2; ++half) {
    float pair[2] = {v[half * 2], v[half * 2 + 1]};
    scale(args, product, row + half * 8, column, pair);
    packed[half] = ptx::pack_16bit<kCType>(pair[0], pair[1]);
  }
}

/// Eight columns of a thread's accumulators, from `column` of the part on, as two packed pairs of
/// C; `i` counts wgmma rows, `row` is the thread's first in C, `first` its first column.
__device__ inline void pack_fused(const GemmArgs& args, const Accumulator& acc, i32 i, i32 column,
                                  i32 product, i32 row, i32 first, u32* packed) {
  const float* v = acc.eight_columns(i, column);
  float sums[4] = {v[0], v[1], v[2], v[3]};
  acc.scales.multiply(sums, i, column);
  if (kScales && (args.alpha != 1 || args.beta != 0)) {
#pragma unroll
    for (i32 half = 0; half < 2; ++half) {
      float pair[2] = {sums[half * 2], sums[half * 2 + 1]};
      scale(args, product, row + half * 8, first, pair);
      sums[half * 2] = pair[0];
      sums[half * 2 + 1] = pair[1];
    }
  }
  acc.bias.add(sums, i, column);
  packed[0] = pack_activated(sums[0], sums[1]);
  packed[1] = pack_activated(sums[2], sums[3]);
}

/// Sixteen columns of a chunk that a thread holds: four pairs of C's elements, as stmatrix takes
/// them; of half of them the first two.
using Pairs = u32[4];

/// part: where the warpgroup's part starts in C.
__device__ inline void pack_sixteen(const GemmArgs& args, const Accumulator& acc,
                                    const Chunk& chunk, i32 sixteen, const TileOrigin& part,
                                    Pairs& pairs) {
  // A constant, so that kernels without halves are the cubins that they were.
  constexpr bool kNoHalves = c_last_columns(kTiling) == 0;
  const bool whole = kNoHalves || !chunk.is_half(sixteen);
  const float* v = acc.eight_columns(chunk.i, chunk.column + sixteen * 16);
  const float* w = whole ? acc.eight_columns(chunk.i, chunk.column + sixteen * 16 + 8) : v;
  if (fuses(fused()) || (kScales && (args.alpha != 1 || args.beta != 0))) {
    const i32 lane = threadIdx.x % 32;
    const i32 first_row = threadIdx.x % kThreadsPerWarpgroup / 32 * 16;
    const i32 row = part.m + chunk.i * kWgmmaM + first_row + lane / 4;
    const i32 column = part.n + chunk.column + sixteen * 16 + lane % 4 * 2;
    if constexpr (fuses(fused())) {
      const i32 of_part = chunk.column + sixteen * 16;
      pack_fused(args, acc, chunk.i, of_part, part.product(), row, column, pairs);
      if (kNoHalves || whole) {
        pack_fused(args, acc, chunk.i, of_part + 8, part.product(), row, column + 8, pairs + 2);
      }
    } else {
      pack_scaled(args, v, part.product(), row, column, pairs);
      if (kNoHalves || whole) {
        pack_scaled(args, w, part.product(), row, column + 8, pairs + 2);
      }
    }
  } else {
    pairs[0] = ptx::pack_16bit<kCType>(v[0], v[1]);
    pairs[1] = ptx::pack_16bit<kCType>(v[2], v[3]);
    pairs[2] = ptx::pack_16bit<kCType>(w[0], w[1]);
    pairs[3] = ptx::pack_16bit<kCType>(w[2], w[3]);
  }
}

__device__ inline void stage_sixteen(u32 slot, const Chunk& chunk, i32 sixteen,
                                     const Pairs& pairs) {
  const u32 lane = threadIdx.x % 32;
  const u32 first_row = threadIdx.x % kThreadsPerWarpgroup / 32 * 16;
  if constexpr (swapped()) {
    const u32 column = sixteen * 16 + lane / 16 * 8 + lane % 8;
    const u32 at = slot + slot_offset(chunk, column, first_row / 8 + lane / 8 % 2);
    if (chunk.is_half(sixteen)) {
      ptx::stmatrix_x2<true>(at, pairs[0], pairs[1]);
    } else {
      ptx::stmatrix_x4<true>(at, pairs[0], pairs[1], pairs[2], pairs[3]);
    }
    return;
  }
  if constexpr (c_last_columns(kTiling) > 0) {
    if (chunk.is_half(sixteen)) {
      ptx::stmatrix_x2(slot + slot_offset(chunk, first_row + lane % 16, sixteen * 2), pairs[0],
                       pairs[1]);
      return;
    }
  }
  ptx::stmatrix_x4(slot + slot_offset(chunk, first_row + lane % 16, sixteen * 2 + lane / 16),
                   pairs[0], pairs[1], pairs[2], pairs[3]);
}

/// Writes one chunk of the accumulators into a slot.
__device__ inline void stage_chunk(const GemmArgs& args, u32 slot, const Accumulator& acc,
                                   const Chunk& chunk, const TileOrigin& part) {
#pragma unroll
  for (i32 sixteen = 0; sixteen < chunk.sixteens(); ++sixteen) {
    Pairs pairs;
    pack_sixteen(args, acc, chunk, sixteen, part, pairs);
    stage_sixteen(slot, chunk, sixteen, pairs);
  }
}

/// Rows of C that the copy engine cannot write.
__device__ inline bool stores_plainly(const GemmArgs& args) {
  return !swapped() && args.c_by_tma == 0;
}

/// Copies a chunk to C row by row, a warp to a row, clipped at m and n.
__device__ inline void store_chunk_plain(const GemmArgs& args, u32 slot, const Chunk& chunk,
                                         const TileOrigin& part) {
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
    unsigned short* c = c_element(args, part.product(), first_row + row, column);
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

template <class Args>  // only arguments of kernels with such a chunk have its map
__device__ inline const TensorMap* c_map(const Args& args, const Chunk& chunk) {
  if constexpr (c_last_columns(kTiling) > 0) {
    if (chunk.unswizzled()) {
      return &args.c_last;
    }
  }
  return &args.c;
}

/// Bulk stores of one chunk, by one thread.
__device__ inline void store_chunk(const GemmArgs& args, u32 slot, const Chunk& chunk,
                                   const TileOrigin& part) {
  const TensorMap* const map = c_map(args, chunk);
#pragma unroll
  for (i32 box = 0; box < chunk.boxes(); ++box) {
    if constexpr (grouped()) {  // as k_groups.cuh loads: nothing behind the group's end
      const i32 end = part.rows_end(args);
      ptx::tma_store_4d(map, slot + box * kBoxBytes, part.n + chunk.column + box * kBoxColumns,
                        most_ragged_rows() - end + part.m + chunk.i * kWgmmaM, end,
                        most_ragged_rows());
    } else if constexpr (batched()) {
      ptx::tma_store_3d(map, slot + box * kBoxBytes, part.n + chunk.column + box * kBoxColumns,
                        part.m + chunk.i * kWgmmaM, c_matrix(args, part));
    } else {
      const i32 column = part.n + chunk.column + box * kBoxColumns;
      const i32 row = part.m + chunk.i * kWgmmaM;
      ptx::tma_store_2d(map, slot + box * kBoxBytes, swapped() ? row : column,
                        swapped() ? column : row);
    }
  }
}

/// Chunk `index` of a tile through a slot of the warpgroup's own; the chunks of a tile follow each
/// other from 0 on. Called by every thread of the warpgroup; `stage(slot, chunk)` fills the slot.
template <class Stage>
__device__ inline void store_through_slot(const GemmArgs& args, const SharedMemory& smem, i32 index,
                                          const TileOrigin& part, i32 warpgroup, Stage stage) {
  constexpr i32 kSlots = max_of(1, min_of(kTiling.c_slots, kChunks));
  // One thread, always the same, issues the stores and so can wait for them.
  const bool stores = ptx::uniform_warp_index() % kWarpsPerWarpgroup == 0;
  const u32 barrier = kFirstWarpgroupBarrier + warpgroup;
  const Chunk chunk = Chunk::at(index);
  const u32 slot = smem.c(warpgroup, index % kSlots);
  if (index == 0 || index >= kSlots) {
    if (stores && ptx::elect_one()) {
      if (index == 0) {
        ptx::tma_store_wait_read<0>();  // of the tile before
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

/// The first kCount chunks of a tile, or all, with slots of its own. Called by every thread of the
/// warpgroup once its wgmmas are complete; `warpgroup` counts the CTA's consumers, `place` is its
/// place in the tile.
template <i32 kCount = kChunks>
__device__ inline void store_tile(const GemmArgs& args, const SharedMemory& smem,
                                  const Accumulator& acc, const TileOrigin& tile,
                                  const WarpgroupPlace& place, i32 warpgroup) {
  const TileOrigin part = part_origin(tile, place);
#pragma unroll
  for (i32 index = 0; index < kCount; ++index) {
    store_through_slot(args, smem, index, part, warpgroup, [&](u32 slot, const Chunk& chunk) {
      stage_chunk(args, slot, acc, chunk, part);
    });
  }
}

/// C in stages that nobody loads into meanwhile. `slot_of(i)` is the address of the CTA's i-th
/// slot. Called by every consumer of the CTA once its own wgmmas are complete; the first consumer
/// warp issues all stores, and must see them read before the stages are loaded again.
template <class SlotOf>
__device__ inline void store_tile_borrowing(const GemmArgs& args, const Accumulator& acc,
                                            const TileOrigin& tile, const WarpgroupPlace& place,
                                            i32 warpgroup, SlotOf slot_of) {
  constexpr u32 kConsumers = kConsumerWarpgroups * kThreadsPerWarpgroup;
  const TileOrigin part = part_origin(tile, place);
  ptx::named_barrier_sync(kConsumersBarrier, kConsumers);  // nobody reads the stages any more
#pragma unroll
  for (i32 index = 0; index < kChunks; ++index) {
    stage_chunk(args, slot_of(warpgroup * kChunks + index), acc, Chunk::at(index), part);
  }
  ptx::fence_proxy_async();
  ptx::named_barrier_sync(kConsumersBarrier, kConsumers);
  if (!swapped() && args.c_by_tma == 0) {
#pragma unroll
    for (i32 index = 0; index < kChunks; ++index) {
      store_chunk_plain(args, slot_of(warpgroup * kChunks + index), Chunk::at(index), part);
    }
    ptx::fence_proxy_async();
    ptx::named_barrier_sync(kConsumersBarrier, kConsumers);
  } else if (ptx::uniform_warp_index() == 0 && ptx::elect_one()) {
    for (i32 w = 0; w < kConsumerWarpgroups; ++w) {
      const TileOrigin part_of_w = part_origin(tile, WarpgroupPlace::of(w));
#pragma unroll
      for (i32 index = 0; index < kChunks; ++index) {
        store_chunk(args, slot_of(w * kChunks + index), Chunk::at(index), part_of_w);
      }
    }
    ptx::tma_store_commit();
  }
}

/// In slots of its own; or, where C borrows, the only tile of a CTA in the drained ring.
__device__ inline void store_tile_where_staged(const GemmArgs& args, const SharedMemory& smem,
                                               const Accumulator& acc, const TileOrigin& tile,
                                               const WarpgroupPlace& place, i32 warpgroup) {
  if constexpr (kCBorrows) {
    store_tile_borrowing(args, acc, tile, place, warpgroup,
                         [&](i32 i) { return smem.base + i * kSmem.c_slot_bytes; });
  } else {
    store_tile(args, smem, acc, tile, place, warpgroup);
  }
}

/// Before the CTA ends: its shared memory must outlive the stores that read it.
__device__ inline void finish_stores() { ptx::tma_store_wait_read<0>(); }

}  // namespace tilecast
