// Reduction of a tile whose K blocks are divided among several workers. Each warpgroup reduces its
// part of the tile independently, together with the warpgroups that have the same part in other
// CTAs.
//
// Partial sums are stored in global memory in the order of the accumulators: each thread reads the
// elements that the thread with the same index wrote. A lock per part counts the K blocks summed so
// far.
//   turnstile  (serial) a piece waits until the lock shows all lower K blocks, then adds its own:
//              the order is always the same, so the result is deterministic;
//   atomic     pieces add in any order to a sum that is zero between tiles;
//   in both    the piece with the last K blocks waits for all others, takes the sum into its
//              accumulators and resets the lock; with `atomic`, idle warps then clear the sum;
//   spread     (distributed) every piece writes its partial separately and waits for all others;
//              then each sums its share of them in the order of K and stores it to C. The last one
//              to finish resets the lock. All pieces of a tile must be resident at the same time.
//
// Requires: locks, and the partials of `atomic`, are zero before the first launch. Checked by:
// validate/measure/gemm/gemm_correctness_test.cpp (results, repetition).
#pragma once

#include "kernels/device/epilogue.cuh"
#include "kernels/device/producer.cuh"
#include "kernels/device/shared_part.cuh"

namespace tilecast {

/// Barriers by which the owner of a part tells the clearing warps that it has read its sum, and by
/// which these report that they are ready for the next sum. Their ids come after the consumers'
/// ids.
template <class Config>
constexpr u32 kFirstTakenBarrier = kConsumersBarrier<Config> + 1;
template <class Config>
constexpr u32 kFirstReadyBarrier = kFirstTakenBarrier<Config> + kTileParts<Config>;
constexpr u32 kClearingThreads = kThreadsPerWarpgroup - 32;  // idle warps of the producer warpgroup
constexpr u32 kOwnerAndClearing = kThreadsPerWarpgroup + kClearingThreads;

template <class Config>
constexpr i32 kFours =
    kPartElements<Config> / kThreadsPerWarpgroup / 4;  // groups of four elements per thread
template <class Config>
constexpr i32 kFoursOfMma = Config::kInstructionN / 8;
// Number of loads in flight, limited by the registers that the accumulators leave.
template <class Config>
constexpr i32 kSpareRegisters = Config::kRegisters.consumer - Config::kAccumulatorRegisters - 72;
template <class Config>
constexpr i32 kLoadsAtOnce = max_of(2, min_of(16, kSpareRegisters<Config> / 4));

/// Returns four accumulators of a thread: two adjacent in one row, two in the row eight below.
template <class Config>
__device__ inline float* four_of(Accumulator<Config>& acc, i32 four) {
  const i32 mma = four / kFoursOfMma<Config>;
  return &acc.d[mma / Config::kMmasAlongN][mma % Config::kMmasAlongN]
               [four % kFoursOfMma<Config> * 4];
}

__device__ inline float4 as_four(const float* v) { return {v[0], v[1], v[2], v[3]}; }

/// Passes on the partial sum of a piece that does not contain the end of K.
template <class Config>
__device__ inline void hand_on(const SharedPart& part, Accumulator<Config>& acc,
                               const WorkPiece& piece, Reduction reduction) {
  const u32 k_begin = static_cast<u32>(piece.k_begin);
  if (reduction == Reduction::kTurnstile && k_begin == 0) {
#pragma unroll
    for (i32 four = 0; four < kFours<Config>; ++four) {
      ptx::store_four(place_of(part.partial, four), as_four(four_of(acc, four)));
    }
  } else {
    if (reduction == Reduction::kTurnstile) {
      part.wait([&](u32 summed) { return summed == k_begin; });
    }
#pragma unroll
    for (i32 four = 0; four < kFours<Config>; ++four) {
      ptx::add_four(place_of(part.partial, four), as_four(four_of(acc, four)));
    }
  }
  part.publish(static_cast<u32>(piece.k_blocks()));
}

/// Adds the other pieces' sum to the accumulators of the piece that contains the end of K.
template <class Config>
__device__ inline void take_over(const SharedPart& part, Accumulator<Config>& acc,
                                 const WorkPiece& piece, Reduction reduction) {
  part.wait([&](u32 summed) { return summed == static_cast<u32>(piece.k_begin); });
#pragma unroll
  for (i32 first = 0; first < kFours<Config>; first += kLoadsAtOnce<Config>) {
    float4 sum[kLoadsAtOnce<Config>];
#pragma unroll
    for (i32 i = 0; i < kLoadsAtOnce<Config>; ++i) {
      if (first + i < kFours<Config>) {
        sum[i] = ptx::load_four(place_of(part.partial, first + i));
      }
    }
#pragma unroll
    for (i32 i = 0; i < kLoadsAtOnce<Config>; ++i) {
      if (first + i < kFours<Config>) {
        float* v = four_of(acc, first + i);
        v[0] += sum[i].x;
        v[1] += sum[i].y;
        v[2] += sum[i].z;
        v[3] += sum[i].w;
      }
    }
  }
  if (reduction == Reduction::kAtomic) {
    ptx::named_barrier_sync(kFirstReadyBarrier<Config> + part.warpgroup, kOwnerAndClearing);
    ptx::named_barrier_arrive(kFirstTakenBarrier<Config> + part.warpgroup, kOwnerAndClearing);
  }
  if (threadIdx.x % kThreadsPerWarpgroup == 0) {
    *part.lock = 0;  // no other worker reads the lock before the next launch
  }
}

/// Zeroes the sums that this CTA's consumers have read, for the next launch; only for `atomic`.
/// Called by the producer warpgroup's idle warps.
template <class Config>
__device__ inline void clear_sums(const Args<Config>& args, const ClusterPlace& cta) {
  static_assert(kFirstReadyBarrier<Config> + kTileParts<Config> <= 16,
                "a CTA has sixteen named barriers");
  if (args.reduction != Reduction::kAtomic) {
    return;
  }
  const WorkDecomposition& work = args.work;
  const u32 worker = blockIdx.x / Config::kClusterSize;
  const u32 thread = threadIdx.x % kThreadsPerWarpgroup % kClearingThreads;
  for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
    if (work.is_whole(p) || !work.owns(p)) {
      continue;
    }
#pragma unroll 1
    for (i32 warpgroup = 0; warpgroup < kTileParts<Config>; ++warpgroup) {
      float* const sum = SharedPart::of(args, p, cta, warpgroup).partial;
      ptx::named_barrier_arrive(kFirstReadyBarrier<Config> + warpgroup, kOwnerAndClearing);
      ptx::named_barrier_sync(kFirstTakenBarrier<Config> + warpgroup, kOwnerAndClearing);
#pragma unroll 1
      for (u32 i = thread; i < kPartElements<Config> / 4; i += kClearingThreads) {
        ptx::store_four(sum + i * 4, {0, 0, 0, 0});
      }
    }
  }
}

/// Stores two adjacent elements of one row of C, scaled and clipped, with the epilogue applied. Row
/// and column are relative to C.
template <class Config>
__device__ inline void store_pair_of_c(const Args<Config>& args, float left, float right,
                                       i32 product, i32 row, i32 column) {
  if (row >= args.m || column >= args.n) {
    return;
  }
  float pair[2] = {left, right};
  scale_sums_at(args, row, column, pair);
  if constexpr (Config::kScales) {
    scale(args, product, row, column, pair);
  }
  add_bias_at(args, row, column, pair);
  if constexpr (!Config::kRoundsPairs) {
    store_result_pair(args, pair[0], pair[1], product, row, column);
    return;
  } else {
    const u32 packed = pack_activated<Config>(pair[0], pair[1]);
    unsigned short* c = c_element(args, product, row, column);
    if (!Config::kSwapped && args.n % 2 == 0) {
      *reinterpret_cast<u32*>(c) = packed;
      return;
    }
    c[0] = static_cast<unsigned short>(packed);
    if (column + 1 < args.n) {
      c[c_next_column(args)] = static_cast<unsigned short>(packed >> 16);
    }
  }
}

/// Reduces the share of piece `mine` in a part's sums: kTogether groups of four at a time, loaded
/// from kSplitsAtOnce partial sums so that many loads are in flight. `origin`: the part's first row
/// and column in C.
template <i32 kTogether, i32 kSplitsAtOnce, class Config>
__device__ inline void sum_share(const Args<Config>& args, float* partial, i32 mine,
                                 const TileOrigin& origin) {
  const i32 splits = static_cast<i32>(args.work.splits);
  const i32 lane = threadIdx.x % 32;
  const i32 row = threadIdx.x % kThreadsPerWarpgroup / 32 * 16 + lane / 4;
  for (i32 group = mine; group < kFours<Config>; group += splits * kTogether) {
    float4 sum[kTogether] = {};
    for (i32 first = 0; first < splits; first += kSplitsAtOnce) {
      float4 v[kTogether][kSplitsAtOnce];
#pragma unroll
      for (i32 g = 0; g < kTogether; ++g) {
        const i32 four = group + g * splits;
#pragma unroll
        for (i32 i = 0; i < kSplitsAtOnce; ++i) {
          v[g][i] =
              four < kFours<Config> && first + i < splits
                  ? ptx::load_four(place_of(partial, four) + (first + i) * kPartElements<Config>)
                  : float4{0, 0, 0, 0};
        }
      }
#pragma unroll
      for (i32 g = 0; g < kTogether; ++g) {
#pragma unroll
        for (i32 i = 0; i < kSplitsAtOnce; ++i) {
          sum[g] = {sum[g].x + v[g][i].x, sum[g].y + v[g][i].y, sum[g].z + v[g][i].z,
                    sum[g].w + v[g][i].w};
        }
      }
    }
#pragma unroll
    for (i32 g = 0; g < kTogether; ++g) {
      const i32 four = group + g * splits;
      if (four < kFours<Config>) {
        const i32 mma = four / kFoursOfMma<Config>;
        const i32 m = origin.m + mma / Config::kMmasAlongN * kWgmmaM + row;
        const i32 n = origin.n + mma % Config::kMmasAlongN * Config::kInstructionN +
                      four % kFoursOfMma<Config> * 8 + lane % 4 * 2;
        store_pair_of_c(args, sum[g].x, sum[g].y, origin.product, m, n);
        store_pair_of_c(args, sum[g].z, sum[g].w, origin.product, m + 8, n);
      }
    }
  }
}

/// Runs a whole `spread` reduction, including the stores to C. `origin_of()` returns the origin of
/// the warpgroup's part in C. It is called once the accumulators are dead, because it needs their
/// registers.
template <class Config, class OriginOf>
__device__ inline void reduce_spread(const Args<Config>& args, const SharedPart& part,
                                     Accumulator<Config>& acc, const WorkPiece& piece,
                                     OriginOf origin_of) {
  const i32 splits = static_cast<i32>(args.work.splits);
  const i32 mine = static_cast<i32>(args.work.by_streamed.quotient(piece.index));
#pragma unroll
  for (i32 four = 0; four < kFours<Config>; ++four) {
    ptx::store_four(place_of(part.partial + mine * kPartElements<Config>, four),
                    as_four(four_of(acc, four)));
  }
  part.publish(1);
  part.wait([&](u32 arrived) { return arrived >= static_cast<u32>(splits); });
  // With more registers than a thread has at launch, the compiler spills here.
  constexpr i32 kTogether = Config::kRegisters.at_launch >= 240 ? 4 : 1;
  constexpr i32 kSplitsAtOnce = Config::kRegisters.at_launch >= 240 ? 4 : 8;
  sum_share<kTogether, kSplitsAtOnce>(args, part.partial, mine, origin_of());
  __syncwarp();  // threads out of bounds of C have skipped the stores
  ptx::named_barrier_sync(kFirstWarpgroupBarrier + part.warpgroup, kThreadsPerWarpgroup);
  // all partials have been read; the last piece resets the lock
  if (threadIdx.x % kThreadsPerWarpgroup == 0) {
    if (ptx::fetch_add_acq_rel(part.lock, 1) == static_cast<u32>(2 * splits - 1)) {
      *part.lock = 0;
    }
  }
}

}  // namespace tilecast
