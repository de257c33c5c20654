// The end of a tile. Unsplit, its output goes through shared memory, where Q was, to global memory
// by one bulk copy a slab, clipped at the last query. Split, each CTA writes its part in fp32, and
// the last CTA of the tile sums the parts, all of whose loads are on their way at once.
#pragma once

#include "kernels/attention/softmax.cuh"
#include "kernels/ptx/global_sync.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/vector_access.cuh"

namespace tilecast {

// Named barriers; 0 is __syncthreads.
template <class Kernel>
constexpr u32 kConsumersBarrier = 1;
constexpr u32 kFirstGroupBarrier = 2;  // one for each warpgroup
constexpr u32 kFirstTurnBarrier = 5;   // likewise

__device__ __forceinline__ void sync_group(i32 group) {
  ptx::named_barrier_sync(kFirstGroupBarrier + group, kGroupThreads);
}
template <class Kernel>
__device__ __forceinline__ void sync_consumers() {
  ptx::named_barrier_sync(kConsumersBarrier<Kernel>, Kernel::kGroups * kGroupThreads);
}

/// A row of Q and O: of all heads and sequences, and its place in one.
struct OutputRow {
  i32 batch, head, query;
  bool exists;

  /// `row`: of the tile's rows.
  template <class Kernel>
  __device__ static OutputRow of(const AttentionArgs& args, const AttentionTile& tile, i32 row) {
    constexpr i32 kHeads = Kernel::kPackedHeads;
    const i32 in_group = row % kGroupRows;
    const i32 query = tile.query + row / kGroupRows * Kernel::kQueries + in_group / kHeads;
    return {tile.batch, tile.head * kHeads + in_group % kHeads, query,
            in_group < Kernel::kQueries * kHeads && query < args.work.queries};
  }
  __device__ i64 index(const AttentionArgs& args) const {
    return (i64{batch} * args.heads + head) * args.work.queries + query;
  }
  /// Of a part of it.
  __device__ i64 part(const AttentionArgs& args, i32 split) const {
    return i64{split} * args.work.batch * args.heads * args.work.queries + index(args);
  }
};

/// Rounds O and puts it where the warpgroup's Q was; by all its threads.
template <class Kernel>
__device__ __forceinline__ void stage_output(const Sums<Kernel>& o, u32 to) {
  const i32 thread = static_cast<i32>(ptx::thread_index() % kGroupThreads), lane = thread % 32;
  const i32 row = thread / 32 * 16 + lane % 16;  // whose address this lane gives
#pragma unroll
  for (i32 column = 0; column < Kernel::kHeadDim; column += 16) {
    const u32 chunk = column % Kernel::kSlab / 8 + lane / 16;
    u32 r[4];
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      r[i] =
          ptx::pack_16bit<Kernel::kElementType>(o[column / 2 + 2 * i], o[column / 2 + 2 * i + 1]);
    }
    ptx::stmatrix_x4(to + column / Kernel::kSlab * Kernel::kQuerySlabBytes +
                         row * Kernel::kRowBytes + ((chunk ^ row % 8) * 16),
                     r[0], r[1], r[2], r[3]);
  }
}

/// By one thread, once the warpgroup's output is staged. Q's place is free behind it.
template <class Kernel>
__device__ __forceinline__ void send_output(const AttentionArgs& args, const AttentionTile& tile,
                                            i32 group, u32 from) {
#pragma unroll
  for (i32 slab = 0; slab < Kernel::kSlabs; ++slab) {
    ptx::tma_store_5d(&args.o, from + slab * Kernel::kQuerySlabBytes, slab * Kernel::kSlab, 0,
                      tile.query + group * Kernel::kQueries, tile.head, tile.batch);
  }
  ptx::tma_store_commit();
  ptx::tma_store_wait_read<0>();
}

template <class Kernel>
__device__ __forceinline__ void store_part(const AttentionArgs& args, const AttentionTile& tile,
                                           i32 group, const Sums<Kernel>& o,
                                           const float (&lse)[2]) {
  const ThreadRows rows = ThreadRows::here();
#pragma unroll
  for (i32 which = 0; which < 2; ++which) {
    const OutputRow row = OutputRow::of<Kernel>(args, tile, group * kGroupRows + rows.row(which));
    if (row.exists) {
      const i64 part = row.part(args, tile.split);
      float* const to = args.partial_o + part * Kernel::kHeadDim + rows.column;
#pragma unroll
      for (i32 i = which * 2; i < Kernel::kHeadDim / 2; i += 4) {
        *reinterpret_cast<float2*>(to + i / 4 * 8) = float2{o[i], o[i + 1]};
      }
      if (rows.column == 0) {
        args.partial_lse[part] = lse[which];
      }
    }
  }
}

/// One row of the parts of a tile, read by a warp: each lane has kWidth columns side by side of
/// every kLanes * kWidth.
template <class Kernel>
struct RowParts {
  static constexpr i32 kLanes = 32;
  static constexpr i32 kWidth = min_of(4, Kernel::kHeadDim / kLanes);
  static constexpr i32 kPieces = Kernel::kHeadDim / kLanes / kWidth;
  static constexpr i32 kBatch = 64 / kPieces / kWidth;  // parts on their way at once

  const AttentionArgs& args;
  const OutputRow& row;
  i32 lane;
  ptx::Vector<kWidth * 4> values[kBatch][kPieces] = {};

  __device__ __forceinline__ void load(i32 first) {
#pragma unroll
    for (i32 i = 0; i < kBatch; ++i) {
      const i32 split = min_of(first + i, args.work.splits - 1);  // those beyond have no weight
      const float* const part = args.partial_o + row.part(args, split) * Kernel::kHeadDim;
#pragma unroll
      for (i32 piece = 0; piece < kPieces; ++piece) {
        values[i][piece] = ptx::load_global<kWidth * 4, false>(
            part + (piece * kLanes + lane) * kWidth, /*policy=*/0);
      }
    }
  }
  /// `weight`: of lane l, of the part that is l further than the first one of this round.
  __device__ __forceinline__ void add_to(float (&sum)[kPieces][kWidth], float weight,
                                         i32 first_lane) const {
#pragma unroll
    for (i32 i = 0; i < kBatch; ++i) {
      const float share = __shfl_sync(0xffffffff, weight, first_lane + i);
#pragma unroll
      for (i32 piece = 0; piece < kPieces; ++piece) {
#pragma unroll
        for (i32 c = 0; c < kWidth; ++c) {
          sum[piece][c] += share * __uint_as_float(values[i][piece].word[c]);
        }
      }
    }
  }
};

/// The sum of a tile's parts, weighted by their share of each row's sum; a warp for each row.
template <class Kernel>
__device__ __forceinline__ void combine_parts(const AttentionArgs& args,
                                              const AttentionTile& tile) {
  using Parts = RowParts<Kernel>;
  constexpr i32 kLanes = Parts::kLanes, kRounds = kMostAttentionSplits / kLanes;
  constexpr i32 kWarps = Kernel::kGroups * 4, kRows = Kernel::kGroups * kGroupRows;
  const i32 splits = args.work.splits, lane = static_cast<i32>(threadIdx.x) % kLanes;
  for (i32 r = static_cast<i32>(threadIdx.x) / kLanes; r < kRows; r += kWarps) {
    const OutputRow row = OutputRow::of<Kernel>(args, tile, r);
    if (!row.exists) {
      continue;
    }
    float weight[kRounds], largest = minus_infinity(), all = 0;
#pragma unroll
    for (i32 round = 0; round < kRounds; ++round) {
      const i32 split = round * kLanes + lane;
      weight[round] = split < splits ? ptx::load_one(args.partial_lse + row.part(args, split))
                                     : minus_infinity();
    }
    Parts parts{args, row, lane};
    parts.load(0);
#pragma unroll
    for (i32 round = 0; round < kRounds; ++round) {
      largest = fmaxf(largest, weight[round]);
    }
    largest = over_lanes<kLanes>(largest, [](float a, float b) { return fmaxf(a, b); });
    const float origin = largest == minus_infinity() ? 0 : largest;
#pragma unroll
    for (i32 round = 0; round < kRounds; ++round) {
      weight[round] = ptx::exp2_approx(weight[round] - origin);
      all += weight[round];
    }
    all = over_lanes<kLanes>(all, [](float a, float b) { return a + b; });
    float sum[Parts::kPieces][Parts::kWidth] = {};
#pragma unroll
    for (i32 round = 0; round < kRounds; ++round) {
      for (i32 i = 0; i < kLanes && round * kLanes + i < splits; i += Parts::kBatch) {
        if (round + i > 0) {
          parts.load(round * kLanes + i);
        }
        parts.add_to(sum, weight[round], i);
      }
    }
    const float inverse = all == 0 ? 0 : 1 / all;
    const AttentionStrides& s = args.out_strides;
    auto* const out = static_cast<unsigned short*>(args.out) + row.batch * s.batch +
                      row.head * s.head + row.query * s.row;
#pragma unroll
    for (i32 piece = 0; piece < Parts::kPieces; ++piece) {
      ptx::Vector<Parts::kWidth * 2> rounded;
#pragma unroll
      for (i32 c = 0; c < Parts::kWidth; c += 2) {
        rounded.word[c / 2] = ptx::pack_16bit<Kernel::kElementType>(sum[piece][c] * inverse,
                                                                    sum[piece][c + 1] * inverse);
      }
      ptx::store_global<Parts::kWidth * 2, false>(out + (piece * kLanes + lane) * Parts::kWidth,
                                                  rounded, 0);
    }
    if (args.lse != nullptr && lane == 0) {
      args.lse[row.index(args)] =
          all == 0 ? minus_infinity() : (origin + ptx::log2_approx(all)) * kLn2;
    }
  }
}

/// By every consumer of a CTA whose parts are written; the last CTA of the tile combines.
template <class Kernel>
__device__ __forceinline__ void combine_if_last(const AttentionArgs& args,
                                                const AttentionShared<Kernel>& smem,
                                                const AttentionTile& tile, i32 linear) {
  const u32 splits = static_cast<u32>(args.work.splits);
  u32* const done = args.parts_done + args.work.by_splits.quotient(static_cast<u32>(linear));
  sync_consumers<Kernel>();
  if (threadIdx.x == 0) {
    const u32 last = ptx::fetch_add_acq_rel(done, 1) == splits - 1 ? 1 : 0;
    if (last != 0) {
      *done = 0;
    }
    ptx::store_shared<4>(smem.is_last(), {{last}});
  }
  sync_consumers<Kernel>();
  if (ptx::load_shared<4>(smem.is_last()).word[0] != 0) {
    combine_parts<Kernel>(args, tile);
  }
}

template <class Kernel>
__device__ __forceinline__ void store_lse(const AttentionArgs& args, const AttentionTile& tile,
                                          i32 group, const float (&lse)[2]) {
  const ThreadRows rows = ThreadRows::here();
  if (args.lse != nullptr && rows.column == 0) {
#pragma unroll
    for (i32 which = 0; which < 2; ++which) {
      const OutputRow row = OutputRow::of<Kernel>(args, tile, group * kGroupRows + rows.row(which));
      if (row.exists) {
        args.lse[row.index(args)] = lse[which] * kLn2;
      }
    }
  }
}

/// By every thread of a consumer warpgroup, whose blocks of tile `linear` are in `o` and `softmax`.
/// Leaves the output where Q was, in `slot`, and tells who sends it; or writes parts.
template <class Kernel>
__device__ __forceinline__ void store_tile(const AttentionArgs& args,
                                           const AttentionShared<Kernel>& smem, i32 linear,
                                           i32 group, i32 slot, Sums<Kernel>& o,
                                           Softmax<Kernel>& softmax) {
  const AttentionTile tile = args.work.at(linear);
  float lse[2];
  softmax.finish(o, lse, args.scale_log2);
  sync_group(group);  // every warp is done with Q
  if constexpr (Kernel::kSplits) {
    if (threadIdx.x % kGroupThreads == 0) {
      ptx::mbarrier_arrive(smem.q_empty(slot, group));
    }
    store_part<Kernel>(args, tile, group, o, lse);
    combine_if_last(args, smem, tile, linear);
  } else {
    stage_output<Kernel>(o, smem.q(slot, group));
    ptx::fence_proxy_async();
    ptx::mbarrier_arrive(smem.o_full(slot, group));
    store_lse<Kernel>(args, tile, group, lse);
  }
}

}  // namespace tilecast
