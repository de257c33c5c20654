// Defines which K blocks of which tiles each worker sums, and in what order: data-parallel,
// split-K, stream-K or a hybrid. Kernels, analytic model and tests all use this file.
//
// A piece is a run of K blocks of one tile. The first `streamed` tiles are cut, the others are
// whole pieces, dealt round-robin:
//   split-K   each in `splits` equal parts; parts with the same K range are neighbours in the
//             order, so that they request the same lines from L2 at the same time;
//   stream-K  the K blocks of all streamed tiles, concatenated and cut into `units` equal runs.
//             A cut closer than min_k_blocks to an edge of its tile moves to that edge.
// The piece with a tile's last K blocks owns the tile: it stores C.
//
// No worker waits for a later one. A piece waits only for pieces of its tile with lower K. In
// split-K those come earlier in the order. In stream-K they belong to earlier workers, and each
// worker takes its last tile first: so it computes early what a later worker needs, and mostly
// needs an earlier worker's result late.
//
// Integers only. Tiles here are cluster tiles, as in tile_scheduler.h, and a worker is a cluster.
// Checked by: work_decomposition_test.cpp (exact cover, no deadlock, the published examples) and,
// on the device, validate/measure/gemm/tile_trace_test.cpp.
#pragma once

#include "model/gemm/order/tile_scheduler.h"

namespace tilecast {

/// K blocks [k_begin, k_end) of one tile.
struct WorkPiece {
  u32 tile;  // linear index, for TileScheduler::coord
  i32 k_begin, k_end;
  u32 index;  // position in the walk; past the end if there is no piece

  TILECAST_HD constexpr i32 k_blocks() const { return k_end - k_begin; }
};

struct WorkDecomposition {
  u32 tiles, workers;
  i32 k_blocks;      // K blocks per tile
  u32 streamed;      // tiles cut along K; they come first
  u32 splits;        // number of equal parts per tile; 0 for stream-K
  u32 units;         // runs of stream-K; worker w < units takes run w
  i32 min_k_blocks;  // minimum part of a tile in such a run
  u32 run, longer;   // K blocks per run; the first `longer` runs have one more
  FastDivisor by_streamed, by_k_blocks;

  /// Returns a decomposition without cuts: `workers` take whole tiles round-robin.
  TILECAST_HD static constexpr WorkDecomposition data_parallel(u32 tiles, i32 k_blocks,
                                                               u32 resident) {
    WorkDecomposition work{};
    work.tiles = tiles;
    work.k_blocks = k_blocks;
    work.workers = min_of(resident, tiles);
    work.by_streamed = FastDivisor::of(1);
    work.by_k_blocks = FastDivisor::of(static_cast<u32>(k_blocks));
    return work;
  }

  /// Splits the first `streamed` tiles in equal parts; `splits` is from 1 to k_blocks.
  TILECAST_HD static constexpr WorkDecomposition split_tiles(u32 tiles, i32 k_blocks, u32 resident,
                                                             u32 streamed, u32 splits) {
    WorkDecomposition work = data_parallel(tiles, k_blocks, resident);
    if (streamed == 0) {
      return work;
    }
    work.streamed = streamed;
    work.splits = splits;
    work.workers = max_of(min_of(resident, streamed * splits), min_of(resident, tiles - streamed));
    work.by_streamed = FastDivisor::of(streamed);
    return work;
  }

  TILECAST_HD static constexpr WorkDecomposition split_k(u32 tiles, i32 k_blocks, u32 resident,
                                                         u32 splits) {
    return split_tiles(tiles, k_blocks, resident, tiles, splits);
  }

  /// Splits a partial last wave by split-K.
  TILECAST_HD static constexpr WorkDecomposition split_k_hybrid(u32 tiles, i32 k_blocks,
                                                                u32 resident, u32 splits) {
    return split_tiles(tiles, k_blocks, resident, tiles % resident, splits);
  }

  /// Cuts the first `streamed` tiles in equal runs.
  TILECAST_HD static constexpr WorkDecomposition streamed_tiles(u32 tiles, i32 k_blocks,
                                                                u32 resident, u32 streamed,
                                                                i32 min_k_blocks) {
    WorkDecomposition work = data_parallel(tiles, k_blocks, resident);
    const u32 blocks = streamed * static_cast<u32>(k_blocks);
    work.streamed = streamed;
    work.min_k_blocks = min_k_blocks;
    work.units =
        min_of(resident, max_of(min_of(1u, blocks), blocks / static_cast<u32>(min_k_blocks)));
    work.run = work.units == 0 ? 0 : blocks / work.units;
    work.longer = blocks - work.run * work.units;
    work.workers = max_of(work.units, min_of(resident, tiles - streamed));
    return work;
  }

  TILECAST_HD static constexpr WorkDecomposition stream_k(u32 tiles, i32 k_blocks, u32 resident,
                                                          i32 min_k_blocks) {
    return streamed_tiles(tiles, k_blocks, resident, tiles, min_k_blocks);
  }

  /// Cuts a partial last wave, and the full wave before it, by stream-K.
  TILECAST_HD static constexpr WorkDecomposition stream_k_hybrid(u32 tiles, i32 k_blocks,
                                                                 u32 resident, i32 min_k_blocks) {
    const u32 left = tiles % resident;
    const u32 streamed = left == 0 ? 0 : left + (tiles > resident ? resident : 0);
    return streamed_tiles(tiles, k_blocks, resident, streamed, min_k_blocks);
  }

  TILECAST_HD constexpr WorkPiece first(u32 worker) const {
    if (splits > 0) {
      return part(worker, worker);
    }
    return worker < units ? run_piece(worker, cut(worker + 1)) : whole(streamed + worker);
  }
  TILECAST_HD constexpr WorkPiece next(u32 worker, const WorkPiece& piece) const {
    if (splits > 0) {
      return piece.tile < streamed ? part(worker, piece.index + workers)
                                   : whole(piece.index + workers);
    }
    if (piece.tile < streamed) {
      return run_piece(worker, piece.index);
    }
    return whole(piece.index + workers);
  }
  TILECAST_HD constexpr bool valid(const WorkPiece& piece) const { return piece.k_end > 0; }

  /// Whether the piece is the whole tile.
  TILECAST_HD constexpr bool is_whole(const WorkPiece& piece) const {
    return piece.k_blocks() == k_blocks;
  }
  /// Whether the piece's worker stores C.
  TILECAST_HD constexpr bool owns(const WorkPiece& piece) const { return piece.k_end == k_blocks; }

  /// Maximum number of pieces of a worker.
  TILECAST_HD constexpr u32 most_pieces() const {
    if (splits > 0) {
      return ceil_div(streamed * splits, workers) + ceil_div(tiles - streamed, workers);
    }
    const u32 in_run = units == 0 ? 0 : by_k_blocks.quotient(run) + 3;
    return in_run + ceil_div(tiles - streamed, workers);
  }

  /// Start of run `unit`, in K blocks of the concatenated streamed tiles.
  TILECAST_HD constexpr u32 cut(u32 unit) const {
    const u32 even = unit * run + min_of(unit, longer);
    const u32 tile = by_k_blocks.quotient(even);
    const u32 edge = tile * static_cast<u32>(k_blocks);
    const i32 before = static_cast<i32>(even - edge);  // K blocks of this tile in earlier runs
    const i32 after = k_blocks - before;
    if (before >= min_k_blocks && after >= min_k_blocks) {
      return even;
    }
    return before <= after ? edge : edge + static_cast<u32>(k_blocks);
  }

 private:
  TILECAST_HD constexpr WorkPiece none() const { return {tiles, 0, 0, ~0u}; }

  TILECAST_HD constexpr WorkPiece whole(u32 tile) const {
    return tile < tiles ? WorkPiece{tile, 0, k_blocks, tile} : none();
  }

  /// Returns part `index` of split-K; after the last one, the worker's whole tiles.
  TILECAST_HD constexpr WorkPiece part(u32 worker, u32 index) const {
    if (index >= streamed * splits) {
      return whole(streamed + worker);
    }
    const u32 split = by_streamed.quotient(index);
    const u32 blocks = static_cast<u32>(k_blocks);
    return {index - split * streamed, static_cast<i32>(split * blocks / splits),
            static_cast<i32>((split + 1) * blocks / splits), index};
  }

  /// Returns the last piece of [cut(worker), end), the streamed part of the worker's run; if that
  /// is empty, the worker's next whole tile.
  TILECAST_HD constexpr WorkPiece run_piece(u32 worker, u32 end) const {
    const u32 begin = cut(worker);
    if (end == begin) {
      return whole(streamed + worker);
    }
    const u32 tile = by_k_blocks.quotient(end - 1);
    const u32 edge = tile * static_cast<u32>(k_blocks);
    const u32 from = max_of(begin, edge);
    return {tile, static_cast<i32>(from - edge), static_cast<i32>(end - edge), from};
  }
};

/// Whether the walk's counts fit in 31 bits, as FastDivisor requires.
TILECAST_HD constexpr bool work_is_countable(u32 tiles, i64 k_blocks, i32 splits) {
  constexpr i64 kMost = i64{1} << 31;
  return i64{tiles} * k_blocks < kMost && k_blocks * max_of(splits, 1) < kMost &&
         i64{tiles} * max_of(splits, 1) < kMost;
}

/// Decomposes a problem with these tiles as `config` specifies; whole tiles for schedules that do
/// not split K. `resident`: workers that fit on the GPU at once.
TILECAST_HD constexpr WorkDecomposition make_work_decomposition(const TileScheduler& scheduler,
                                                                i32 k_blocks,
                                                                const KernelConfig& config,
                                                                u32 resident) {
  const u32 tiles = scheduler.num_tiles();
  const Decomposition& how = config.decomposition;
  const ScheduleTraits traits = traits_of(config.schedule);
  switch (traits.split_k) {
    case SplitK::kEqually: {
      const u32 splits = static_cast<u32>(how.splits);
      return traits.hybrid ? WorkDecomposition::split_k_hybrid(tiles, k_blocks, resident, splits)
                           : WorkDecomposition::split_k(tiles, k_blocks, resident, splits);
    }
    case SplitK::kByWorker:
      return traits.hybrid
                 ? WorkDecomposition::stream_k_hybrid(tiles, k_blocks, resident, how.min_k_blocks)
                 : WorkDecomposition::stream_k(tiles, k_blocks, resident, how.min_k_blocks);
    case SplitK::kNone:
      break;
  }
  return WorkDecomposition::data_parallel(tiles, k_blocks, scheduler.workers);
}

}  // namespace tilecast
