// Ends a tile. Without splits, the output goes through shared memory (where Q was) to global
// memory, by one bulk copy per slab, clipped after the last query. With splits, each CTA writes its
// partial result in fp32: to global memory, where the tile's last CTA sums them, or to its shared
// memory, for its cluster.
#pragma once

#include "kernels/attention/softmax.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/global_sync.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/vector_access.cuh"

namespace tilecast {

// Named barriers; 0 is __syncthreads.
template <class Config>
constexpr u32 kConsumersBarrier = 1;
constexpr u32 kFirstGroupBarrier = 2;  // one barrier for each warpgroup
constexpr u32 kFirstTurnBarrier = 5;   // one barrier for each warpgroup

__device__ __forceinline__ void sync_group(i32 group) {
  ptx::named_barrier_sync(kFirstGroupBarrier + group, kGroupThreads);
}
template <class Config>
__device__ __forceinline__ void sync_consumers() {
  ptx::named_barrier_sync(kConsumersBarrier<Config>, Config::kGroups * kGroupThreads);
}

/// Coordinates of a warpgroup's first row in the tensor maps of Q and O: query head within its set,
/// set, and query.
template <class Config>
struct WarpgroupRows {
  i32 head, set, query;

  __device__ static WarpgroupRows of(const AttentionArgs& args, const AttentionTile& tile,
                                     i32 group) {
    if constexpr (Config::kSharedHeads == Config::kPackedHeads) {
      return {0, tile.head, tile.query + group * Config::kQueries};
    } else {  // the heads of a set are divided among warpgroups of this tile and of others
      const i32 set = static_cast<i32>(args.heads_per_kv.quotient(static_cast<u32>(tile.head)));
      const i32 place = tile.head - set * static_cast<i32>(args.heads_per_kv.divisor);
      return {(place * Config::kGroups + group) * Config::kPackedHeads, set, tile.query};
    }
  }
};

/// A row of Q and O: its index over all heads and sequences, and its position in one.
struct OutputRow {
  i32 batch, head, query;
  bool exists;

  /// `row`: index among the tile's rows.
  template <class Config>
  __device__ static OutputRow of(const AttentionArgs& args, const AttentionTile& tile, i32 row) {
    constexpr i32 kHeads = Config::kPackedHeads;
    const i32 in_group = row % kGroupRows;
    const auto rows = WarpgroupRows<Config>::of(args, tile, row / kGroupRows);
    const i32 query = rows.query + in_group / kHeads, head = rows.head + in_group % kHeads;
    return {tile.batch, rows.set * Config::kSharedHeads + head, query,
            in_group < Config::kQueries * kHeads && query < args.work.queries &&
                (Config::kSharedHeads == kHeads || head < Config::kSharedHeads)};
  }
  __device__ i64 index(const AttentionArgs& args) const {
    return (i64{batch} * args.heads + head) * args.work.queries + query;
  }
  /// Offset of one split's partial output.
  __device__ i64 part(const AttentionArgs& args, i32 split) const {
    return i64{split} * args.work.batch * args.heads * args.work.queries + index(args);
  }
};

/// Rounds O and writes it to the shared memory of the warpgroup's Q; called by all its threads.
template <class Config>
__device__ __forceinline__ void stage_output(const Sums<Config>& o, u32 to) {
  const i32 thread = static_cast<i32>(ptx::thread_index() % kGroupThreads), lane = thread % 32;
  const i32 row = thread / 32 * 16 + lane % 16;  // row whose address this lane provides
#pragma unroll
  for (i32 column = 0; column < Config::kHeadDim; column += 16) {
    const u32 chunk = column % Config::kSlab / 8 + lane / 16;
    u32 r[4];
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      r[i] =
          ptx::pack_16bit<Config::kElementType>(o[column / 2 + 2 * i], o[column / 2 + 2 * i + 1]);
    }
    ptx::stmatrix_x4(to + column / Config::kSlab * Config::kQuerySlabBytes +
                         row * Config::kRowBytes + ((chunk ^ row % 8) * 16),
                     r[0], r[1], r[2], r[3]);
  }
}

/// Starts the bulk stores; called by one thread once the warpgroup's output is staged. Q's buffer
/// is free when the stores have read it.
template <class Config>
__device__ __forceinline__ void send_output(const AttentionArgs& args, const AttentionTile& tile,
                                            i32 group, u32 from) {
  const auto rows = WarpgroupRows<Config>::of(args, tile, group);
#pragma unroll
  for (i32 slab = 0; slab < Config::kSlabs; ++slab) {
    ptx::tma_store_5d(&args.o, from + slab * Config::kQuerySlabBytes, slab * Config::kSlab,
                      rows.head, rows.query, rows.set, tile.batch);
  }
  ptx::tma_store_commit();
  ptx::tma_store_wait_read<0>();
}

/// A row's partial results of a split tile, in global memory.
template <class Config>
struct GlobalParts {
  const AttentionArgs& args;
  OutputRow row;

  __device__ GlobalParts(const AttentionArgs& all, const AttentionShared<Config>&, i32,
                         const OutputRow& of)
      : args(all), row(of) {}
  __device__ void store(i32 split, i32 column, float2 o) const {
    *reinterpret_cast<float2*>(at(split) + column) = o;
  }
  __device__ void store_lse(i32 split, float lse) const {
    args.partial_lse[row.part(args, split)] = lse;
  }
  template <i32 kColumns>
  __device__ ptx::Vector<kColumns * 4> load(i32 split, i32 column) const {
    return ptx::load_global<kColumns * 4, false>(at(split) + column, /*policy=*/0);
  }
  __device__ float load_lse(i32 split) const {
    return ptx::load_one(args.partial_lse + row.part(args, split));
  }

 private:
  __device__ float* at(i32 split) const {
    return args.partial_o + row.part(args, split) * Config::kHeadDim;
  }
};

/// A row's partial results in the shared memory of the CTAs that wrote them: O in the stages of K
/// and V, which are no longer read, log-sum-exps in Q's buffer.
template <class Config>
struct ClusterParts {
  static constexpr i32 kRowBytes = part_row_bytes(Config::kHeadDim);
  u32 o, lse;

  __device__ ClusterParts(const AttentionArgs&, const AttentionShared<Config>& smem, i32 of_tile,
                          const OutputRow&)
      : o(smem.k(0) + of_tile * kRowBytes), lse(smem.q(0, 0) + of_tile * 4) {}
  __device__ void store(i32, i32 column, float2 value) const {
    ptx::store_shared<8>(o + column * 4, {{__float_as_uint(value.x), __float_as_uint(value.y)}});
  }
  __device__ void store_lse(i32, float value) const {
    ptx::store_shared<4>(lse, {{__float_as_uint(value)}});
  }
  template <i32 kColumns>
  __device__ ptx::Vector<kColumns * 4> load(i32 split, i32 column) const {
    return ptx::load_cluster<kColumns * 4>(o + column * 4, static_cast<u32>(split));
  }
  __device__ float load_lse(i32 split) const {
    return __uint_as_float(ptx::load_cluster<4>(lse, static_cast<u32>(split)).word[0]);
  }
};

template <class Config, class Parts>
__device__ __forceinline__ void store_part(const AttentionArgs& args,
                                           const AttentionShared<Config>& smem,
                                           const AttentionTile& tile, i32 group,
                                           const Sums<Config>& o, const float (&lse)[2]) {
  const ThreadRows rows = ThreadRows::here();
#pragma unroll
  for (i32 which = 0; which < 2; ++which) {
    const i32 of_tile = group * kGroupRows + rows.row(which);
    const OutputRow row = OutputRow::of<Config>(args, tile, of_tile);
    if (row.exists) {
      const Parts parts(args, smem, of_tile, row);
#pragma unroll
      for (i32 i = which * 2; i < Config::kHeadDim / 2; i += 4) {
        parts.store(tile.split, rows.column + i / 4 * 8, float2{o[i], o[i + 1]});
      }
      if (rows.column == 0) {
        parts.store_lse(tile.split, lse[which]);
      }
    }
  }
}

/// Sums the partial results of rows first, first + step, ... of a tile (in pairs), weighted by
/// their part of each row's sum. Half a warp processes a row.
template <class Config, class Parts>
__device__ __forceinline__ void combine_parts(const AttentionArgs& args,
                                              const AttentionShared<Config>& smem,
                                              const AttentionTile& tile, i32 first, i32 step) {
  constexpr i32 kLanes = kCombineLanes, kWidth = kCombineColumns;
  constexpr i32 kPieces = Config::kHeadDim / kLanes / kWidth, kBatch = Config::kPartsAtOnce;
  const i32 splits = args.work.splits, lane = static_cast<i32>(ptx::thread_index()) % kLanes;
  const i32 half = static_cast<i32>(ptx::thread_index()) / kLanes % 2;
  const auto larger = [](float a, float b) { return fmaxf(a, b); };
  const auto plus = [](float a, float b) { return a + b; };
  for (i32 pair = first; pair < Config::kGroups * kGroupRows / 2; pair += step) {
    const i32 of_tile = 2 * pair + half;
    const OutputRow row = OutputRow::of<Config>(args, tile, of_tile);
    if (!__any_sync(0xffffffff, row.exists)) {
      continue;
    }
    const Parts parts(args, smem, of_tile, row);
    const auto load_lse = [&](i32 split) {
      return row.exists && split < splits ? parts.load_lse(split) : minus_infinity();
    };
    ptx::Vector<kWidth * 4> o[kBatch][kPieces];
    const auto load = [&](i32 begin) {
#pragma unroll
      for (i32 i = 0; i < kBatch; ++i) {
#pragma unroll
        for (i32 piece = 0; piece < kPieces; ++piece) {
          o[i][piece] = {};
          if (row.exists && begin + i < splits) {
            o[i][piece] = parts.template load<kWidth>(begin + i, (piece * kLanes + lane) * kWidth);
          }
        }
      }
    };
    const float of_first = load_lse(lane);
    load(0);
    float largest = of_first;
    for (i32 begin = kLanes; begin < splits; begin += kLanes) {
      largest = fmaxf(largest, load_lse(begin + lane));
    }
    largest = over_lanes<kLanes>(largest, larger);
    const float origin = largest == minus_infinity() ? 0 : largest;
    float all = 0, sum[kPieces][kWidth] = {};
    for (i32 round = 0; round < splits; round += kLanes) {
      const float weight =
          ptx::exp2_approx((round == 0 ? of_first : load_lse(round + lane)) - origin);
      all += weight;
#pragma unroll
      for (i32 begin = 0; begin < kLanes; begin += kBatch) {
        if (round + begin > 0) {
          load(round + begin);
        }
#pragma unroll
        for (i32 i = 0; i < kBatch; ++i) {
          const float share = __shfl_sync(0xffffffff, weight, begin + i, kLanes);
#pragma unroll
          for (i32 c = 0; c < kPieces * kWidth; ++c) {
            sum[c / kWidth][c % kWidth] +=
                share * __uint_as_float(o[i][c / kWidth].word[c % kWidth]);
          }
        }
      }
    }
    all = over_lanes<kLanes>(all, plus);
    if (!row.exists) {
      continue;
    }
    const float inverse = all == 0 ? 0 : 1 / all;
    const AttentionStrides& s = args.out_strides;
    auto* const out = static_cast<unsigned short*>(args.out) + row.batch * s.batch +
                      row.head * s.head + row.query * s.row;
#pragma unroll
    for (i32 piece = 0; piece < kPieces; ++piece) {
      const auto& v = sum[piece];
      ptx::store_global<kWidth * 2, false>(
          out + (piece * kLanes + lane) * kWidth,
          {{ptx::pack_16bit<Config::kElementType>(v[0] * inverse, v[1] * inverse),
            ptx::pack_16bit<Config::kElementType>(v[2] * inverse, v[3] * inverse)}},
          /*policy=*/0);
    }
    if (args.lse != nullptr && lane == 0) {
      args.lse[row.index(args)] =
          all == 0 ? minus_infinity() : (origin + ptx::log2_approx(all)) * kLn2;
    }
  }
}

/// Sums the partial results of a cluster, each CTA a share of the rows. No CTA ends before all have
/// read its part.
template <class Config>
__device__ __forceinline__ void combine_in_cluster(const AttentionArgs& args,
                                                   const AttentionShared<Config>& smem,
                                                   const AttentionTile& tile, i32 group,
                                                   const Sums<Config>& o, const float (&lse)[2]) {
  using Parts = ClusterParts<Config>;
  sync_consumers<Config>();  // no warp still reads K, V or Q
  store_part<Config, Parts>(args, smem, tile, group, o, lse);
  ptx::cluster_arrive();
  ptx::cluster_wait();
  const i32 warp = static_cast<i32>(ptx::thread_index()) / 32;
  combine_parts<Config, Parts>(args, smem, tile, tile.split + args.work.splits * warp,
                               args.work.splits * Config::kGroups * 4);
  // the other CTAs wait only for reads, whose values have been used by now
  ptx::cluster_arrive_relaxed();
  ptx::cluster_wait();
}

/// Sums all rows; called by the last CTA whose part is written.
template <class Config>
__device__ __forceinline__ void combine_as_last(const AttentionArgs& args,
                                                const AttentionShared<Config>& smem,
                                                const AttentionTile& tile, i32 linear, i32 group,
                                                const Sums<Config>& o, const float (&lse)[2]) {
  using Parts = GlobalParts<Config>;
  store_part<Config, Parts>(args, smem, tile, group, o, lse);
  const u32 splits = static_cast<u32>(args.work.splits);
  u32* const done = args.parts_done + args.work.by_splits.quotient(static_cast<u32>(linear));
  sync_consumers<Config>();
  if (ptx::thread_index() == 0) {
    const u32 last = ptx::fetch_add_acq_rel(done, 1) == splits - 1 ? 1 : 0;
    if (last != 0) {
      *done = 0;
    }
    ptx::store_shared<4>(smem.is_last(), {{last}});
  }
  sync_consumers<Config>();
  if (ptx::load_shared<4>(smem.is_last()).word[0] != 0) {
    combine_parts<Config, Parts>(args, smem, tile, static_cast<i32>(ptx::thread_index()) / 32,
                                 Config::kGroups * 4);
  }
}

template <class Config>
__device__ __forceinline__ void store_lse(const AttentionArgs& args, const AttentionTile& tile,
                                          i32 group, const float (&lse)[2]) {
  const ThreadRows rows = ThreadRows::here();
  if (args.lse != nullptr && rows.column == 0) {
#pragma unroll
    for (i32 which = 0; which < 2; ++which) {
      const OutputRow row = OutputRow::of<Config>(args, tile, group * kGroupRows + rows.row(which));
      if (row.exists) {
        args.lse[row.index(args)] = lse[which] * kLn2;
      }
    }
  }
}

/// Stores tile `linear`, whose result is in `o` and `softmax`. Without splits, leaves the output in
/// `slot`, where Q was, and notifies the storing thread; with splits, writes the partial
/// result. Called by every thread of a consumer warpgroup.
template <class Config>
__device__ __forceinline__ void store_tile(const AttentionArgs& args,
                                           const AttentionShared<Config>& smem, i32 linear,
                                           i32 group, i32 slot, Sums<Config>& o,
                                           Softmax<Config>& softmax) {
  const AttentionTile tile = args.work.at(linear);
  float lse[2];
  softmax.finish(o, lse, args.scale_log2);
  if constexpr (Config::kClusters) {
    combine_in_cluster<Config>(args, smem, tile, group, o, lse);
    return;
  }
  sync_group(group);  // every warp has finished reading Q
  if constexpr (Config::kSplits) {
    if (ptx::thread_index() % kGroupThreads == 0) {
      ptx::mbarrier_arrive(smem.q_empty(slot, group));
    }
    combine_as_last<Config>(args, smem, tile, linear, group, o, lse);
  } else {
    stage_output<Config>(o, smem.q(slot, group));
    ptx::fence_proxy_async();
    ptx::mbarrier_arrive(smem.o_full(slot, group));
    store_lse<Config>(args, tile, group, lse);
  }
}

}  // namespace tilecast
