// Which K blocks of which tiles each worker sums, and in what order: data-parallel, split-K,
// stream-K or the hybrid of both. The kernels, the closed forms and the tests all call this file.
//
// A piece is a run of K blocks of one tile. The first `streamed` tiles are cut up, the others are
// whole pieces, dealt out in turn:
//   split-K   each in `splits` equal parts; parts with the same K range are neighbours in the
//             order, so that they ask L2 for the same lines at the same time;
//   stream-K  the K blocks of all streamed tiles in one row, cut into `units` equal runs. A cut
//             closer than min_k_blocks to an edge of its tile moves to that edge.
// The piece with a tile's last K blocks owns the tile: it stores C.
//
// Nobody waits for a later worker. A piece waits only for pieces of its tile with lower K. In
// split-K those come earlier in the order. In stream-K they belong to workers before this one, and
// each worker takes its last tile first: what it does for a later worker is then the first thing
// that it does, and what it needs from an earlier one mostly the last.
//
// Integers only. Tiles here are cluster tiles, as in tile_scheduler.h, and a worker is a cluster.
// Checked by: work_decomposition_test.cpp (exact cover, order without deadlock, the published
// examples) and, on the device, validate/measure/gemm/timeline/tile_trace_test.cpp.
#pragma once

#include "model/gemm/order/tile_scheduler.h"

namespace tilecast {

/// K blocks [k_begin, k_end) of one tile.
struct WorkPiece {
  u32 tile;  // linear, for TileScheduler::coord
  i32 k_begin, k_end;
  u32 index;  // where the walk stands; past the last one where there is no piece

  TILECAST_HD constexpr i32 k_blocks() const { return k_end - k_begin; }
};

struct WorkDecomposition {
  u32 tiles, workers;
  i32 k_blocks;      // of a tile
  u32 streamed;      // tiles cut along K; they come first
  u32 splits;        // equal parts of each; 0 where they are cut in one row instead
  u32 units;         // of that row; worker w < units takes run w
  i32 min_k_blocks;  // least part of a tile in such a run
  u32 run, longer;   // K blocks of a run; the first `longer` ones have one more
  FastDivisor by_streamed, by_k_blocks;

  /// Work that is cut nowhere: `workers` take whole tiles in turn.
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

  /// The first `streamed` tiles in equal parts; `splits` from 1 to k_blocks.
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

  /// The last wave, where it is partial, as split-K.
  TILECAST_HD static constexpr WorkDecomposition split_k_hybrid(u32 tiles, i32 k_blocks,
                                                                u32 resident, u32 splits) {
    return split_tiles(tiles, k_blocks, resident, tiles % resident, splits);
  }

  /// The first `streamed` tiles in equal runs.
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

  /// The last wave, where it is partial, and one full wave before it as stream-K.
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

  /// The tile is this piece and no other.
  TILECAST_HD constexpr bool is_whole(const WorkPiece& piece) const {
    return piece.k_blocks() == k_blocks;
  }
  /// The piece's worker stores C.
  TILECAST_HD constexpr bool owns(const WorkPiece& piece) const { return piece.k_end == k_blocks; }

  /// Most pieces that one worker has.
  TILECAST_HD constexpr u32 most_pieces() const {
    if (splits > 0) {
      return ceil_div(streamed * splits, workers) + ceil_div(tiles - streamed, workers);
    }
    const u32 in_run = units == 0 ? 0 : by_k_blocks.quotient(run) + 3;
    return in_run + ceil_div(tiles - streamed, workers);
  }

  /// Where run `unit` begins, counted in K blocks of the streamed tiles in one row.
  TILECAST_HD constexpr u32 cut(u32 unit) const {
    const u32 even = unit * run + min_of(unit, longer);
    const u32 tile = by_k_blocks.quotient(even);
    const u32 edge = tile * static_cast<u32>(k_blocks);
    const i32 before = static_cast<i32>(even - edge);  // of this tile, in the runs before
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

  /// Part `index` of split-K; behind the last one, the worker's whole tiles.
  TILECAST_HD constexpr WorkPiece part(u32 worker, u32 index) const {
    if (index >= streamed * splits) {
      return whole(streamed + worker);
    }
    const u32 split = by_streamed.quotient(index);
    const u32 blocks = static_cast<u32>(k_blocks);
    return {index - split * streamed, static_cast<i32>(split * blocks / splits),
            static_cast<i32>((split + 1) * blocks / splits), index};
  }

  /// The last piece of a worker's run that ends at `end`; behind its run, whole tiles.
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

/// Whether the walk counts in 31 bits, as FastDivisor does.
TILECAST_HD constexpr bool work_is_countable(u32 tiles, i64 k_blocks, i32 splits) {
  constexpr i64 kMost = i64{1} << 31;
  return i64{tiles} * k_blocks < kMost && k_blocks * max_of(splits, 1) < kMost &&
         i64{tiles} * max_of(splits, 1) < kMost;
}

/// How `config` shares out a problem whose tiles are `scheduler`'s; whole tiles for the schedules
/// that do not split K. `resident`: workers that fit on the GPU at once.
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
