// R, the addend of the result (Epilogue::residual), as a thread needs it: the elements that match
// its accumulators. In sixteen columns a thread reads four adjacent columns and exchanges two of
// them, so that a warp's load covers whole sectors of its eight rows. Groups of sixteen columns are
// read ahead as far as registers allow. So that these reads hit L2, the copy engine prefetches R
// when the tile begins. Kernels with a producer use residual_ring.cuh.
//
// C may be R: each element is read by the thread that packs it, and stored after that. Checked by:
// validate/measure/gemm/epilogue_test.cpp.
#pragma once

#include "kernels/device/bias.cuh"
#include "kernels/device/c_chunk.cuh"
#include "kernels/device/tile_loads.cuh"

namespace tilecast {

/// Called by all threads of a warpgroup; does nothing without R.
template <class Config, bool kWanted = Config::kLoads>
class ResidualPart {
 public:
  __device__ void begin(const Args<Config>&, const TileOrigin&) {}
  __device__ void add(float (&)[2][4], const Chunk<Config>&, i32) const {}
  __device__ void load_ahead(const Args<Config>&, const TileOrigin&, const Chunk<Config>&, i32) {}
};

/// Two adjacent elements in one row, in memory order; ResidualFour also holds the next two.
template <class Config>
using ResidualPair = ptx::Vector<2 * max_of(2, Config::kCBytes)>;
template <class Config>
using ResidualFour = ptx::Vector<4 * max_of(2, Config::kCBytes)>;

/// Loads two elements of R, 0 out of bounds; `column` is even.
template <class Config>
__device__ inline ResidualPair<Config> residual_pair(const Args<Config>& args, i32 product, i32 row,
                                                     i32 column) {
  ResidualPair<Config> pair{};
  if (row >= args.m || column >= args.n) {
    return pair;
  }
  const ResultArgs& r = args.result;
  const i64 at = product * r.residual_stride + row * r.residual_row + column;
  const bool right = column + 1 < args.n;
  if constexpr (Config::kCBytes == 4) {
    const u32* const from = static_cast<const u32*>(r.residual) + at;
    pair = {from[0], right ? from[1] : 0};
  } else {
    const unsigned short* const from = static_cast<const unsigned short*>(r.residual) + at;
    pair = {from[0] | (right ? static_cast<u32>(from[1]) << 16 : 0)};
  }
  return pair;
}

/// Loads four adjacent elements of R, with one load if rows are multiples of four elements; 0 out
/// of bounds.
template <class Config>
__device__ inline ResidualFour<Config> residual_four(const Args<Config>& args, i32 product, i32 row,
                                                     i32 column) {
  const ResultArgs& r = args.result;
  ResidualFour<Config> four{};
  if (r.residual_fours == 0) {
    const ResidualPair<Config> left = residual_pair(args, product, row, column);
    const ResidualPair<Config> right = residual_pair(args, product, row, column + 2);
#pragma unroll
    for (i32 i = 0; i < ResidualPair<Config>::kWords; ++i) {
      four.word[i] = left.word[i];
      four.word[ResidualPair<Config>::kWords + i] = right.word[i];
    }
  } else if (row < args.m && column < args.n) {
    const i64 at = product * r.residual_stride + row * r.residual_row + column;
    if constexpr (Config::kCBytes == 4) {
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

template <class Config>
__device__ inline void add_pair(const ResidualPair<Config>& pair, float& left, float& right) {
  using Load = typename Config::Load;
  if constexpr (Config::kCBytes == 4) {
    left = Load::template apply<FastMath>(left, __uint_as_float(pair.word[0]));
    right = Load::template apply<FastMath>(
        right, __uint_as_float(pair.word[ResidualPair<Config>::kWords - 1]));
  } else {
    left = Load::template apply<FastMath>(left, low_element<Config>(pair.word[0]));
    right = Load::template apply<FastMath>(right, high_element<Config>(pair.word[0]));
  }
}

template <class Config>
class ResidualPart<Config, true> {
 public:
  __device__ void begin(const Args<Config>& args, const TileOrigin& part) {
#pragma unroll
    for (i32 s = 0; s < kAhead; ++s) {
      load(args, part, s);
    }
  }
  /// Adds R to a thread's accumulators in sixteen columns: for each eight, two adjacent in one row,
  /// and two in the row eight below.
  __device__ void add(float (&sums)[2][4], const Chunk<Config>& chunk, i32 sixteen) const {
    constexpr i32 kWords = ResidualPair<Config>::kWords;
    const bool odd = threadIdx.x % 2 != 0;
#pragma unroll
    for (i32 half = 0; half < 2; ++half) {
      // A thread holds four columns, two of which its neighbour needs; the neighbour holds two that
      // this thread needs.
      const ResidualFour<Config>& four = fours_[index_of(chunk, sixteen) % kAhead][half];
      ResidualPair<Config> first, second;
#pragma unroll
      for (i32 i = 0; i < kWords; ++i) {
        const u32 left = four.word[i], right = four.word[kWords + i];
        const u32 got = __shfl_xor_sync(0xffffffffu, odd ? left : right, 1);
        first.word[i] = odd ? got : left;
        second.word[i] = odd ? right : got;
      }
      add_pair<Config>(first, sums[0][half * 2], sums[0][half * 2 + 1]);
      add_pair<Config>(second, sums[1][half * 2], sums[1][half * 2 + 1]);
    }
  }
  /// Called after the last use of sixteen columns.
  __device__ void load_ahead(const Args<Config>& args, const TileOrigin& part,
                             const Chunk<Config>& chunk, i32 sixteen) {
    load(args, part, index_of(chunk, sixteen) + kAhead);
  }

 private:
  static constexpr i32 kSixteens =
      ceil_div(Config::kWarpgroupColumns, 16);  // groups of sixteen columns in a wgmma row
  static constexpr i32 kAhead = Config::kResidualAhead;

  __device__ static constexpr i32 index_of(const Chunk<Config>& chunk, i32 sixteen) {
    return chunk.i * kSixteens + chunk.column / 16 + sixteen;
  }

  /// Of a row's four threads, 0 and 1 read the columns that 0 and 1 need, 2 and 3 those that 2 and
  /// 3 need. So each thread exchanges values with only one other.
  __device__ void load(const Args<Config>& args, const TileOrigin& part, i32 index) {
    if (index >= Config::kMmasAlongM * kSixteens) {
      return;
    }
    const i32 pair = static_cast<i32>(threadIdx.x) % 4;
    const i32 row = part.m + index / kSixteens * kWgmmaM + row_in_chunk();
    const i32 column = part.n + index % kSixteens * 16 + (pair % 2 * 2 + pair / 2) * 4;
#pragma unroll
    for (i32 half = 0; half < 2; ++half) {
      fours_[index % kAhead][half] = residual_four(args, part.product, row + half * 8, column);
    }
  }

  ResidualFour<Config> fours_[kAhead][2];
};

/// Prefetches a warpgroup's part of R into L2. Called by one thread.
template <class Config>
__device__ inline void fetch_residual(const Args<Config>& args, const TileOrigin& part) {
#pragma unroll
  for (i32 index = 0; index < Config::kChunks; ++index) {
    const Chunk<Config> chunk = Chunk<Config>::at(index);
#pragma unroll
    for (i32 box = 0; box < chunk.boxes(); ++box) {
      const i32 column = part.n + chunk.column + box * Config::kBoxColumns;
      const i32 row = part.m + chunk.i * kWgmmaM;
      if constexpr (Config::kBatched) {
        ptx::tma_prefetch_3d(&args.result.residual_map, column, row, c_matrix(args, part));
      } else {
        ptx::tma_prefetch_2d(&args.result.residual_map, column, row);
      }
    }
  }
}

}  // namespace tilecast
