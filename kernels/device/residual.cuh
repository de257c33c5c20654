// R, which is added to a result (Epilogue::residual), as a thread needs it: the elements beside its
// sums, read by itself, sixteen columns at a time and as many sixteens ahead as registers allow. So
// that these reads find R in L2, the copy engine fetches it as the tile begins.
//
// C may be R: each element is read by the thread that packs it, and stored behind that.
// Checked by: validate/measure/result_test.cpp.
#pragma once

#include "kernels/device/bias.cuh"
#include "kernels/device/c_chunk.cuh"
#include "kernels/device/tile_loads.cuh"
#ifdef TILECAST_RESULT
#include "model/tile/register_plan.h"
#endif

namespace tilecast {

/// Called by all threads of a warpgroup; nothing where there is no R.
template <bool kWanted>
class ResidualPart {
 public:
  template <class Args>
  __device__ void begin(const Args&, const TileOrigin&) {}
  __device__ void add(float (&)[4], const Chunk&, i32, i32) const {}
  template <class Args>
  __device__ void load_ahead(const Args&, const TileOrigin&, const Chunk&, i32) {}
};

#ifdef TILECAST_RESULT
/// Two neighbours of R in one row, as they lie in memory.
using ResidualPair = ptx::Vector<2 * max_of(2, element_bytes(kCType))>;

/// 0 out of bounds; `column` is even.
template <class Args>
__device__ inline ResidualPair residual_pair(const Args& args, i32 product, i32 row, i32 column) {
  ResidualPair pair{};
  if (row >= args.m || column >= args.n) {
    return pair;
  }
  const ResultArgs& r = args.result;
  const i64 at = product * r.residual_stride + row * r.residual_row + column;
  const bool right = column + 1 < args.n;
  if constexpr (element_bytes(kCType) == 4) {
    const u32* const from = static_cast<const u32*>(r.residual) + at;
    if (r.residual_pairs != 0) {
      return *reinterpret_cast<const ResidualPair*>(from);
    }
    pair = {from[0], right ? from[1] : 0};
  } else {
    const unsigned short* const from = static_cast<const unsigned short*>(r.residual) + at;
    if (r.residual_pairs != 0) {
      return *reinterpret_cast<const ResidualPair*>(from);
    }
    pair = {from[0] | (right ? static_cast<u32>(from[1]) << 16 : 0)};
  }
  return pair;
}

__device__ inline void add_residual(const ResidualPair& pair, float& left, float& right) {
  if constexpr (element_bytes(kCType) == 4) {
    left += __uint_as_float(pair.word[0]);
    right += __uint_as_float(pair.word[ResidualPair::kWords - 1]);
  } else {
    left += low_element(pair.word[0]);
    right += high_element(pair.word[0]);
  }
}

/// Sixteens whose loads are under way: what registers allow beside the sums.
TILECAST_HD consteval i32 residual_ahead() {
  constexpr i32 kMostRegisters = 255, kMostAhead = 8;
  constexpr i32 kBeside = fused().amax ? 104 : 72;
  const i32 share = kRegistersPerSm / (kThreads * kConfig.ctas_per_sm);
  const i32 own =
      has_producer_warpgroup(kConfig.schedule)
          ? register_plan(kConsumerWarpgroups, kConfig.ctas_per_sm, kConfig.producer_registers)
                .consumer
          : min_of(kMostRegisters, share);
  const i32 left = own - accumulator_registers(kTiling) - kBeside;
  return max_of(1, min_of(kMostAhead, left / (4 * ResidualPair::kWords)));
}

template <>
class ResidualPart<true> {
 public:
  /// Once the sums are complete.
  template <class Args>
  __device__ void begin(const Args& args, const TileOrigin& part) {
#pragma unroll
    for (i32 s = 0; s < kAhead; ++s) {
      load(args, part, s);
    }
  }
  /// To a thread's four sums in eight columns: two neighbours in one row, two in the row eight
  /// below.
  __device__ void add(float (&sums)[4], const Chunk& chunk, i32 sixteen, i32 eight) const {
    const ResidualPair(&pairs)[4] = pairs_[index_of(chunk, sixteen) % kAhead];
    add_residual(pairs[eight * 2], sums[0], sums[1]);
    add_residual(pairs[eight * 2 + 1], sums[2], sums[3]);
  }
  /// Behind the last use of sixteen columns.
  template <class Args>
  __device__ void load_ahead(const Args& args, const TileOrigin& part, const Chunk& chunk,
                             i32 sixteen) {
    load(args, part, index_of(chunk, sixteen) + kAhead);
  }

 private:
  static constexpr i32 kSixteens = ceil_div(kSlotColumns, 16);  // of a chunk

  static constexpr i32 kAhead = residual_ahead();

  __device__ static constexpr i32 index_of(const Chunk& chunk, i32 sixteen) {
    return (chunk.i * kChunksAcross + chunk.column / kSlotColumns) * kSixteens + sixteen;
  }

  template <class Args>
  __device__ void load(const Args& args, const TileOrigin& part, i32 index) {
    if (index >= kChunks * kSixteens) {
      return;
    }
    const Chunk chunk = Chunk::at(index / kSixteens);
    const i32 row = part.m + chunk.i * kWgmmaM + row_in_chunk();
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const i32 column = index % kSixteens * 16 + i / 2 * 8;
      if (column < chunk.columns) {
        pairs_[index % kAhead][i] =
            residual_pair(args, part.product(), row + i % 2 * 8,
                          part.n + chunk.column + column + static_cast<i32>(threadIdx.x) % 4 * 2);
      }
    }
  }

  ResidualPair pairs_[kAhead][4];
};

/// Asks L2 for a warpgroup's part of R. By one thread.
template <class Args>
__device__ inline void fetch_residual(const Args& args, const TileOrigin& part) {
#pragma unroll
  for (i32 index = 0; index < kChunks; ++index) {
    const Chunk chunk = Chunk::at(index);
#pragma unroll
    for (i32 box = 0; box < chunk.boxes(); ++box) {
      const i32 column = part.n + chunk.column + box * kBoxColumns;
      const i32 row = part.m + chunk.i * kWgmmaM;
      if constexpr (batched()) {
        ptx::tma_prefetch_3d(&args.result.residual_map, column, row, c_matrix(args, part));
      } else {
        ptx::tma_prefetch_2d(&args.result.residual_map, column, row);
      }
    }
  }
}
#endif

}  // namespace tilecast
