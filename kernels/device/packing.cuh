// Converts a thread's accumulators to staged elements of C: scales them, applies the epilogue and
// rounds, sixteen columns at a time.
#pragma once

#include "kernels/device/mma.cuh"
#include "kernels/device/result.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

/// Scales a thread's two adjacent elements in one row: alpha times the sum, plus beta * C inside
/// the bounds of C.
template <class Config>
__device__ inline void scale(const Args<Config>& args, i32 product, i32 row, i32 column,
                             float (&pair)[2]) {
  pair[0] *= args.alpha;
  pair[1] *= args.alpha;
  if (args.beta == 0 || row >= args.m) {
    return;
  }
  if constexpr (Config::kCBytes == 4) {
    const float* c = reinterpret_cast<const float*>(c_address(args, product, row, column));
#pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      if (column + i < args.n) {
        pair[i] += args.beta * c[i];
      }
    }
  } else {
    const unsigned short* c = c_element(args, product, row, column);
#pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      if (column + i < args.n) {
        pair[i] += args.beta * ptx::value_of_bits(c[i * c_next_column(args)], Config::kCType);
      }
    }
  }
}

/// Packs eight columns of a thread's accumulators into two scaled pairs; `row` and `column` are
/// those of the first element in C.
template <class Config>
__device__ inline void pack_scaled(const Args<Config>& args, const float* v, i32 product, i32 row,
                                   i32 column, u32* packed) {
#pragma unroll
  for (i32 half = 0; half < 2; ++half) {
    float pair[2] = {v[half * 2], v[half * 2 + 1]};
    scale(args, product, row + half * 8, column, pair);
    packed[half] = ptx::pack_16bit<Config::kHalfType>(pair[0], pair[1]);
  }
}

/// Scales a thread's four sums in eight columns and adds the bias. `i`: wgmma row. `column`: first
/// of the eight columns, within the part. `row`, `first`: row and column of the first sum in C.
template <class Config>
__device__ inline void complete_sums(const Args<Config>& args, const Accumulator<Config>& acc,
                                     i32 i, i32 column, i32 product, i32 row, i32 first,
                                     float (&sums)[4]) {
  acc.scales.multiply(sums, i, column);
  if (Config::kScales && (args.alpha != 1 || args.beta != 0)) {
#pragma unroll
    for (i32 half = 0; half < 2; ++half) {
      float pair[2] = {sums[half * 2], sums[half * 2 + 1]};
      scale(args, product, row + half * 8, first, pair);
      sums[half * 2] = pair[0];
      sums[half * 2 + 1] = pair[1];
    }
  }
  acc.bias.add(sums, i, column);
}

/// Scales, activates and packs a thread's four values in eight columns of C into two words of two
/// elements.
template <class Config>
__device__ inline void pack_fused(const Args<Config>& args, const Accumulator<Config>& acc, i32 i,
                                  i32 column, i32 product, i32 row, i32 first, u32* packed) {
  const float* v = acc.eight_columns(i, column);
  float sums[4] = {v[0], v[1], v[2], v[3]};
  complete_sums(args, acc, i, column, product, row, first, sums);
  packed[0] = pack_activated<Config>(sums[0], sums[1]);
  packed[1] = pack_activated<Config>(sums[2], sums[3]);
}

/// A thread's sixteen columns of a chunk: with 16-bit elements four pairs, in the order of
/// stmatrix. If only eight columns exist, the first two pairs are used.
template <class Config>
using Pairs = u32[Config::kSixteenWords];

/// Scales and activates a thread's accumulators in sixteen columns.
template <class Config>
__device__ inline void complete_sixteen(const Args<Config>& args, const Accumulator<Config>& acc,
                                        const Chunk<Config>& chunk, i32 sixteen,
                                        const TileOrigin& part, float (&results)[2][4]) {
  const i32 row = part.m + chunk.i * kWgmmaM + row_in_chunk();
  const i32 column = part.n + chunk.column + sixteen * 16 + static_cast<i32>(threadIdx.x) % 4 * 2;
  const i32 eights = chunk.is_half(sixteen) ? 1 : 2;
#pragma unroll
  for (i32 eight = 0; eight < eights; ++eight) {
    const i32 of_part = chunk.column + sixteen * 16 + eight * 8;
    const float* const sums = acc.eight_columns(chunk.i, of_part);
    float(&v)[4] = results[eight];
#pragma unroll
    for (i32 k = 0; k < 4; ++k) {
      v[k] = sums[k];
    }
    complete_sums(args, acc, chunk.i, of_part, part.product, row, column + eight * 8, v);
    activate_pair<Config>(v[0], v[1]);
    activate_pair<Config>(v[2], v[3]);
  }
}

/// Applies the last steps of an epilogue, except rounding pairs (result.cuh).
template <class Config>
__device__ inline void finish_sixteen(const Args<Config>& args, Accumulator<Config>& acc,
                                      const Chunk<Config>& chunk, i32 sixteen,
                                      const TileOrigin& part, Pairs<Config>& words) {
  const i32 row = part.m + chunk.i * kWgmmaM + row_in_chunk();
  const i32 column = part.n + chunk.column + sixteen * 16 + static_cast<i32>(threadIdx.x) % 4 * 2;
  const i32 eights = chunk.is_half(sixteen) ? 1 : 2;
  float results[2][4] = {};
  if constexpr (Config::kResidualInRing) {  // the accumulators are complete, with R added
#pragma unroll
    for (i32 i = 0; i < 8; ++i) {
      const i32 of_part = chunk.column + sixteen * 16 + i / 4 * 8;
      results[i / 4][i % 4] = acc.eight_columns(chunk.i, of_part)[i % 4];
    }
  } else {
    complete_sixteen(args, acc, chunk, sixteen, part, results);
    acc.residual.add(results, chunk, sixteen);
    acc.residual.load_ahead(args, part, chunk, sixteen);
  }
#pragma unroll
  for (i32 eight = 0; eight < eights; ++eight) {
    float(&v)[4] = results[eight];
#pragma unroll
    for (i32 k = 0; k < 4; ++k) {
      if (!Config::kGates || k % 2 == 0) {
        acc.amax.take(v[k], row + k / 2 * 8 < args.m && column + eight * 8 + k % 2 < args.n);
        v[k] = scaled_for_c(args, v[k]);
      }
    }
  }
  round_sixteen<Config>(results, words);
}

/// part: origin of the warpgroup's part in C.
template <class Config>
__device__ inline void pack_sixteen(const Args<Config>& args, Accumulator<Config>& acc,
                                    const Chunk<Config>& chunk, i32 sixteen, const TileOrigin& part,
                                    Pairs<Config>& pairs) {
  if constexpr (!Config::kRoundsPairs) {
    finish_sixteen(args, acc, chunk, sixteen, part, pairs);
    return;
  } else {
    const float* v = acc.eight_columns(chunk.i, chunk.column + sixteen * 16);
    const float* w =
        chunk.is_half(sixteen) ? v : acc.eight_columns(chunk.i, chunk.column + sixteen * 16 + 8);
    if (Config::kFuses || (Config::kScales && (args.alpha != 1 || args.beta != 0))) {
      const i32 lane = threadIdx.x % 32;
      const i32 first_row = threadIdx.x % kThreadsPerWarpgroup / 32 * 16;
      const i32 row = part.m + chunk.i * kWgmmaM + first_row + lane / 4;
      const i32 column = part.n + chunk.column + sixteen * 16 + lane % 4 * 2;
      if constexpr (Config::kFuses) {
        const i32 of_part = chunk.column + sixteen * 16;
        pack_fused(args, acc, chunk.i, of_part, part.product, row, column, pairs);
        if (!chunk.is_half(sixteen)) {
          pack_fused(args, acc, chunk.i, of_part + 8, part.product, row, column + 8, pairs + 2);
        }
      } else {
        pack_scaled(args, v, part.product, row, column, pairs);
        if (!chunk.is_half(sixteen)) {
          pack_scaled(args, w, part.product, row, column + 8, pairs + 2);
        }
      }
    } else {
      pairs[0] = ptx::pack_16bit<Config::kHalfType>(v[0], v[1]);
      pairs[1] = ptx::pack_16bit<Config::kHalfType>(v[2], v[3]);
      pairs[2] = ptx::pack_16bit<Config::kHalfType>(w[0], w[1]);
      pairs[3] = ptx::pack_16bit<Config::kHalfType>(w[2], w[3]);
    }
  }
}

}  // namespace tilecast
