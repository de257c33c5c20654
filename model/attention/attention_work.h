// Defines the rows, head and blocks of keys of each tile, and the order of tiles. Shared by the
// kernels, the analytic model, the simulator and the tests; there is no other copy.
//
// A tile is rows of one query head, or, packed, of the query heads of one KV head: each warpgroup's
// 64 rows begin with a new query and hold as many whole queries as fit; row r belongs to query r /
// heads and head r % heads. More than 64 heads are spread evenly over several warpgroups, first of
// the same tile (PackedHeads). A tile's keys come in blocks of kv_block. Blocks are walked from the
// last to the first, so that those that need a mask, at the end of the keys or on the diagonal,
// form a separate loop before the others. A tile's blocks are divided among `splits` CTAs about
// equally; a CTA may get none. Integers only. Checked by: attention_work_test.cpp (exact cover,
// trip counts, masked blocks).
#pragma once

#include "model/attention/attention_config.h"
#include "model/base/fast_divisor.h"

namespace tilecast {

/// Bytes of K and V of the heads whose tiles follow each other in the longest-first order.
constexpr i64 kSectionBytes = i64{32} << 20;

/// Query heads that share the rows of a tile.
struct PackedHeads {
  i32 shared;  // query heads of one KV head if they are packed, else 1
  // how many of them share the rows of a warpgroup, at most 64; the last warpgroup may have fewer
  i32 heads;
  i32 warpgroups;  // warpgroups whose rows belong to the same queries
};
TILECAST_HD constexpr PackedHeads packed_heads(const AttentionProblem& p,
                                               const AttentionConfig& c) {
  const i32 shared = c.pack ? heads_per_kv(p) : 1, warpgroups = ceil_div(shared, kGroupRows);
  return {shared, ceil_div(shared, warpgroups), warpgroups};
}
/// How many of the two rows that the products give a thread (eight rows apart) it computes: one if
/// a warpgroup has at most eight rows of the problem. Ping-pong always computes both, because the
/// compiler would otherwise serialize its products.
TILECAST_HD constexpr i32 thread_rows(const AttentionProblem& p, const AttentionConfig& c) {
  constexpr i32 kApart = 8;
  const i32 heads = packed_heads(p, c).heads;
  const bool few = min_of(p.queries, kGroupRows / heads) * heads <= kApart;
  return few && c.schedule != AttentionSchedule::kPingPong ? 1 : 2;
}
/// Number of query heads in the rows of a tile.
TILECAST_HD constexpr i32 heads_of_tile(const PackedHeads& packed, const AttentionConfig& c) {
  return packed.warpgroups == 1 ? packed.shared : min_of(packed.shared, packed.heads * c.groups);
}

struct AttentionTile {
  i32 batch, head;  // head: index of the tile's set of query heads, below `heads` of AttentionWork
  i32 query;        // first query
  i32 row_block;    // row block of the head
  i32 split;
  i32 first, count;  // blocks of keys [first, first + count), walked from the last one
  i32 masked;        // number of blocks, the last ones, that need a mask
};

struct AttentionWork {
  i32 batch, heads;  // heads: query heads or, packed, the sets of heads that share a tile
  i32 queries, keys;
  i32 queries_per_tile;  // whole queries per tile
  i32 row_blocks;        // row blocks per head
  i32 kv_block, splits;
  bool causal, longest_first;
  // Number of heads (over all sequences) in one section of the longest-first order, and in the last
  // one.
  FastDivisor section, last_section;
  FastDivisor by_section_tiles, by_splits, by_row_blocks, by_heads, by_kv_block;

  TILECAST_HD constexpr void set_section(i32 section_heads) {
    const u32 all = static_cast<u32>(batch * heads), width = static_cast<u32>(section_heads);
    section = FastDivisor::of(width);
    last_section = FastDivisor::of(all % width == 0 ? width : all % width);
    by_section_tiles = FastDivisor::of(width * static_cast<u32>(row_blocks));
  }

  /// Valid for legal configurations (attention_menu.cpp); the result fits in 31 bits.
  TILECAST_HD constexpr i32 tiles() const { return batch * heads * row_blocks * splits; }

  /// Returns tile `linear` of the order. Splits of a tile are neighbours.
  TILECAST_HD constexpr AttentionTile at(i32 linear) const {
    const u32 of_tile = by_splits.quotient(static_cast<u32>(linear));
    const i32 split = linear - static_cast<i32>(of_tile) * splits;
    if (!longest_first) {
      const u32 head = by_row_blocks.quotient(of_tile);
      return tile(static_cast<i32>(head), static_cast<i32>(of_tile - head * by_row_blocks.divisor),
                  split);
    }
    const u32 index = by_section_tiles.quotient(of_tile);
    const u32 begin = index * section.divisor;  // first head of the section
    const bool last = begin + section.divisor >= static_cast<u32>(batch * heads);
    const u32 place = of_tile - index * by_section_tiles.divisor;
    const FastDivisor& width = last ? last_section : section;
    const u32 row = width.quotient(place);
    return tile(static_cast<i32>(begin + place - row * width.divisor),
                row_blocks - 1 - static_cast<i32>(row), split);
  }

  /// `head`: index over all sequences.
  TILECAST_HD constexpr AttentionTile tile(i32 head, i32 row_block, i32 split) const {
    const i32 query = row_block * queries_per_tile;
    const i32 last = min_of(queries, query + queries_per_tile) - 1;
    const i32 blocks = whole_blocks(seen(last) + kv_block - 1);
    const i32 unmasked =
        whole_blocks(seen(query));  // every row of the tile attends to all keys of these blocks
    const i32 first = part(blocks, split), count = part(blocks, split + 1) - first;
    const i32 sequence = static_cast<i32>(by_heads.quotient(static_cast<u32>(head)));
    return {.batch = sequence,
            .head = head - sequence * heads,
            .query = query,
            .row_block = row_block,
            .split = split,
            .first = first,
            .count = count,
            .masked = max_of(0, min_of(count, first + count - unmasked))};
  }

 private:
  TILECAST_HD constexpr i32 seen(i32 query) const {
    return causal ? max_of(0, causal_end(queries, keys, query)) : keys;
  }
  TILECAST_HD constexpr i32 whole_blocks(i32 seen_keys) const {
    return static_cast<i32>(by_kv_block.quotient(static_cast<u32>(seen_keys)));
  }
  TILECAST_HD constexpr i32 part(i32 blocks, i32 split) const {
    return static_cast<i32>(by_splits.quotient(static_cast<u32>(blocks * split)));
  }
};

/// Explains why no kernel supports such counts or such a head dimension; empty if kernels do.
/// Counts must be positive.
TILECAST_HD constexpr const char* why_not_attention(const AttentionProblem& p) {
  constexpr double kMostTiles = 1 << 30;
  constexpr double kMostBytes = kMostTiles * 1024;  // strides of tensor maps are below 2^40 bytes
  return p.heads % p.kv_heads != 0
             ? "the number of heads is not a multiple of the number of KV heads"
         : p.head_dim != 64 && p.head_dim != 128 && p.head_dim != 256
             ? "expected a head dimension of 64, 128 or 256"
         : 1.0 * p.batch * p.heads * ceil_div(p.queries, kGroupRows) > kMostTiles
             ? "more than 2^30 tiles of 64 queries"
         : max_of(query_bytes(p), kv_bytes(p) / 2) > kMostBytes ? "Q or K has more than 2^40 bytes"
                                                                : "";
}

/// `workers`: at most the resident CTAs. Worker w takes tiles w, w + workers, ... In the dynamic
/// order it begins with tile w; each next one is `workers` + a draw from a counter that starts at
/// 0.
TILECAST_HD constexpr AttentionWork attention_work(const AttentionProblem& p,
                                                   const AttentionConfig& c) {
  const PackedHeads packed = packed_heads(p, c);
  const i32 per_kv_head = ceil_div(heads_per_kv(p), heads_of_tile(packed, c));
  AttentionWork work{};
  work.batch = p.batch;
  work.heads = p.kv_heads * per_kv_head;
  work.queries = p.queries;
  work.keys = p.keys;
  work.queries_per_tile = kGroupRows / packed.heads * (packed.warpgroups == 1 ? c.groups : 1);
  work.row_blocks = ceil_div(p.queries, work.queries_per_tile);
  work.kv_block = c.kv_block;
  work.splits = c.splits;
  work.causal = is_causal(p);
  work.longest_first = work.causal && c.order != AttentionOrder::kStatic;
  work.by_splits = FastDivisor::of(static_cast<u32>(work.splits));
  work.by_row_blocks = FastDivisor::of(static_cast<u32>(work.row_blocks));
  work.by_heads = FastDivisor::of(static_cast<u32>(work.heads));
  work.by_kv_block = FastDivisor::of(static_cast<u32>(work.kv_block));
  const i64 kv_of_head = i64{2} * p.keys * p.head_dim * element_bytes(p.dtype);
  const i32 kv_heads = static_cast<i32>(max_of<i64>(1, kSectionBytes / kv_of_head));
  work.set_section(
      min_of(p.batch * work.heads, min_of(kv_heads, p.batch * p.kv_heads) * per_kv_head));
  return work;
}

/// Bytes of the splits' partial results: O [split][batch, heads, queries, head_dim] in fp32, then
/// log-sum-exp [split][batch, heads, queries] in fp32, base e. A part without keys writes -infinity
/// and no O.
TILECAST_HD constexpr i64 partial_bytes(const AttentionProblem& p, const AttentionConfig& c) {
  const i64 rows = i64{p.batch} * p.heads * p.queries;
  return c.splits == 1 ? 0 : rows * c.splits * (p.head_dim + 1) * 4;
}

// Half a warp sums the partial results of a row.
constexpr i32 kCombineLanes = 16, kCombineColumns = 4;  // lanes; columns of a lane's load
/// Number of a row's partial results that are loaded at once. Several warpgroups, or 256 columns,
/// leave few registers.
TILECAST_HD constexpr i32 parts_at_once(const AttentionConfig& c, i32 head_dim) {
  const bool room = c.groups == 1 && head_dim <= 128 && attention_registers(c).consumer >= 216;
  return min_of(kCombineLanes, (room ? 32 : 8) / (head_dim / kCombineLanes / kCombineColumns));
}

/// Device memory that the CTAs of a launch share: 32-bit counters, zero between launches, and
/// partial results. Splits within a cluster need none.
struct AttentionWorkspace {
  i64 draws, parts_done;  // counters: one of the dynamic order, and one per tile with splits
  i64 partial_bytes;
};
TILECAST_HD constexpr AttentionWorkspace attention_workspace(const AttentionProblem& p,
                                                             const AttentionConfig& c) {
  const bool splits = c.splits > 1 && c.grid != AttentionGrid::kClusters;
  return {.draws = c.order == AttentionOrder::kDynamic ? 2 : 0,
          .parts_done = splits ? attention_work(p, c).tiles() / c.splits : 0,
          .partial_bytes = splits ? partial_bytes(p, c) : 0};
}

}  // namespace tilecast
