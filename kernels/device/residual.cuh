// R, which is added to a result (Epilogue::residual), as a thread needs it: the elements beside its
// sums. Of sixteen columns a thread reads four neighbours and trades two of them, so that a warp's
// load brings whole sectors of its eight rows. As many sixteens are read ahead as registers allow;
// so that these reads find R in L2, the copy engine fetches it as the tile begins. Kernels with a
// producer have it otherwise (residual_ring.cuh).
//
// C may be R: each element is read by the thread that packs it, and stored behind that.
// Checked by: validate/measure/result_test.cpp.
#pragma once

#include "kernels/device/bias.cuh"
#include "kernels/device/c_chunk.cuh"
#include "kernels/device/tile_loads.cuh"
#ifdef TILECAST_RESULT
#include "model/tile/register_plan.h"
#include "model/tile/residual_ring.h"
#endif

namespace tilecast {

/// Whether R comes through the ring of stages where the copy engine can load it
/// (residual_ring.cuh). A function, since a constant would be a symbol of every cubin.
TILECAST_HD consteval bool residual_in_ring() {
#ifdef TILECAST_RESULT
  return residual_stages(kConfig, column_bytes(), fused()) > 0;
#else
  return false;
#endif
}

/// Called by all threads of a warpgroup; nothing where there is no R.
template <bool kWanted>
class ResidualPart {
 public:
  template <class Args>
  __device__ void begin(const Args&, const TileOrigin&) {}
  __device__ void add(float (&)[2][4], const Chunk&, i32) const {}
  template <class Args>
  __device__ void load_ahead(const Args&, const TileOrigin&, const Chunk&, i32) {}
};

#ifdef TILECAST_RESULT
/// Two neighbours in one row, as they lie in memory; and the next two.
using ResidualPair = ptx::Vector<2 * max_of(2, element_bytes(kCType))>;
using ResidualFour = ptx::Vector<4 * max_of(2, element_bytes(kCType))>;

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
    pair = {from[0], right ? from[1] : 0};
  } else {
    const unsigned short* const from = static_cast<const unsigned short*>(r.residual) + at;
    pair = {from[0] | (right ? static_cast<u32>(from[1]) << 16 : 0)};
  }
  return pair;
}

/// The same of four; where rows are whole fours by one load.
template <class Args>
__device__ inline ResidualFour residual_four(const Args& args, i32 product, i32 row, i32 column) {
  const ResultArgs& r = args.result;
  ResidualFour four{};
  if (r.residual_fours == 0) {
    const ResidualPair left = residual_pair(args, product, row, column);
    const ResidualPair right = residual_pair(args, product, row, column + 2);
#pragma unroll
    for (i32 i = 0; i < ResidualPair::kWords; ++i) {
      four.word[i] = left.word[i];
      four.word[ResidualPair::kWords + i] = right.word[i];
    }
  } else if (row < args.m && column < args.n) {
    const i64 at = product * r.residual_stride + row * r.residual_row + column;
    if constexpr (element_bytes(kCType) == 4) {
      const uint4 v = *reinterpret_cast<const uint4*>(static_cast<const u32*>(r.residual) + at);
      four = {v.x, v.y, v.z, v.w};
    } else {
      const uint2 v =
          *reinterpret_cast<const uint2*>(static_cast<const unsigned short*>(r.residual) + at);
      four = {v.x, v.y};
    }
  }
  return four;
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
  template <class Args>
  __device__ void begin(const Args& args, const TileOrigin& part) {
#pragma unroll
    for (i32 s = 0; s < kAhead; ++s) {
      load(args, part, s);
    }
  }
  /// To a thread's sums in sixteen columns: of each eight two neighbours in one row, and two in the
  /// row eight below.
  __device__ void add(float (&sums)[2][4], const Chunk& chunk, i32 sixteen) const {
    constexpr i32 kWords = ResidualPair::kWords;
    const bool odd = threadIdx.x % 2 != 0;
#pragma unroll
    for (i32 half = 0; half < 2; ++half) {
      // A thread has four columns of which two are its neighbour's, who has two of its own.
      const ResidualFour& four = fours_[index_of(chunk, sixteen) % kAhead][half];
      ResidualPair first, second;
#pragma unroll
      for (i32 i = 0; i < kWords; ++i) {
        const u32 left = four.word[i], right = four.word[kWords + i];
        const u32 got = __shfl_xor_sync(0xffffffffu, odd ? left : right, 1);
        first.word[i] = odd ? got : left;
        second.word[i] = odd ? right : got;
      }
      add_residual(first, sums[0][half * 2], sums[0][half * 2 + 1]);
      add_residual(second, sums[1][half * 2], sums[1][half * 2 + 1]);
    }
  }
  /// Behind the last use of sixteen columns.
  template <class Args>
  __device__ void load_ahead(const Args& args, const TileOrigin& part, const Chunk& chunk,
                             i32 sixteen) {
    load(args, part, index_of(chunk, sixteen) + kAhead);
  }

 private:
  static constexpr i32 kSixteens = ceil_div(warpgroup_columns(kTiling), 16);  // of a wgmma row
  static constexpr i32 kAhead = residual_ahead();

  __device__ static constexpr i32 index_of(const Chunk& chunk, i32 sixteen) {
    return chunk.i * kSixteens + chunk.column / 16 + sixteen;
  }

  /// Of the four threads of a row the first and the second read columns that these two need, the
  /// others those that they need, so that each trades with one.
  template <class Args>
  __device__ void load(const Args& args, const TileOrigin& part, i32 index) {
    if (index >= wgmmas_along_m(kTiling) * kSixteens) {
      return;
    }
    const i32 pair = static_cast<i32>(threadIdx.x) % 4;
    const i32 row = part.m + index / kSixteens * kWgmmaM + row_in_chunk();
    const i32 column = part.n + index % kSixteens * 16 + (pair % 2 * 2 + pair / 2) * 4;
#pragma unroll
    for (i32 half = 0; half < 2; ++half) {
      fours_[index % kAhead][half] = residual_four(args, part.product(), row + half * 8, column);
    }
  }

  ResidualFour fours_[kAhead][2];
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
