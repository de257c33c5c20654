// Consumers' use of an R that arrives through the ring of stages
// (model/gemm/config/residual_ring.h). Once their wgmmas are complete they add it, in place, to
// scaled and activated accumulators, so that the stages are free for the next tile's K blocks
// before C is staged. If the copy engine cannot load R, threads load it at that point
// (residual.cuh). Checked by: validate/measure/gemm/epilogue_test.cpp, tests/roles.
#pragma once

#include "kernels/device/epilogue.cuh"
#include "kernels/device/residual_loads.cuh"

namespace tilecast {

/// Reads a thread's elements of R in sixteen columns of a chunk's slot: for each eight, two
/// adjacent in one row, and two in the row eight below.
template <class Config>
__device__ inline void read_staged(u32 slot, const Chunk<Config>& chunk, i32 sixteen,
                                   ResidualPair<Config> (&pairs)[4]) {
  const u32 lane = threadIdx.x % 32;
  if constexpr (Config::kCBytes == 2) {  // 16-bit elements, in the layout of stage_sixteen
    const u32 first_row = threadIdx.x % kThreadsPerWarpgroup / 32 * 16;
    u32 words[4];
    ptx::ldmatrix_x4(slot + slot_offset(chunk, first_row + lane % 16, sixteen * 2 + lane / 16),
                     words);
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      pairs[i].word[0] = words[i];
    }
  } else {  // other elements, in the layout of stage_words
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const u32 row = static_cast<u32>(row_in_chunk()) + i % 2 * 8;
      const u32 four = (static_cast<u32>(sixteen) * 2 + i / 2) * 2 + lane % 4 / 2;
      pairs[i] = ptx::load_shared<ResidualPair<Config>::kWords * 4>(
          slot + slot_offset(chunk, row, four) + lane % 2 * 8);
    }
  }
}

/// Waits until all of a tile's R has arrived, in the stages from `at` on.
template <class Config>
__device__ inline void await_residual(const Args<Config>& args, const SharedMemory<Config>& smem,
                                      RingPosition<Config> at) {
  if constexpr (Config::kResidualInRing) {
    if (args.result.residual_by_tma != 0) {
#pragma unroll
      for (i32 index = 0; index < Config::kChunks; index += Config::kResidualChunks) {
        wait_full(smem, at);
        at.advance();
      }
    }
  }
}

/// Called by every thread of a warpgroup whose wgmmas are complete; advances `at` past R.
template <class Config>
__device__ inline void add_residual_of_tile(const Args<Config>& args,
                                            const SharedMemory<Config>& smem,
                                            RingPosition<Config>& at, Accumulator<Config>& acc,
                                            const TileOrigin& tile, const WarpgroupPlace& place,
                                            const ClusterPlace& cta, i32 warpgroup) {
  const TileOrigin part = part_origin(tile, place);
  const bool in_ring = args.result.residual_by_tma != 0;
  constexpr i32 kReadTogether = 2;  // groups of sixteen columns
  const i32 of_tile = warpgroups_per_tile(Config::kTiling) > 1 ? warpgroup : 0;
#pragma unroll
  for (i32 index = 0; index < Config::kChunks; ++index) {
    const Chunk<Config> chunk = Chunk<Config>::at(index);
    if (in_ring && index % Config::kResidualChunks == 0) {
      wait_full(smem, at);
    }
    const u32 slot = residual_slot(smem, at, index, of_tile);
    const i32 row = part.m + chunk.i * kWgmmaM + row_in_chunk();
    const i32 first = part.n + chunk.column + static_cast<i32>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (i32 begin = 0; begin < chunk.sixteens(); begin += kReadTogether) {
      // There is one branch for several groups, so that their loads do not wait for each other.
      ResidualPair<Config> pairs[kReadTogether][4];
      if (in_ring) {
#pragma unroll
        for (i32 i = 0; i < kReadTogether; ++i) {
          if (begin + i < chunk.sixteens()) {
            read_staged(slot, chunk, begin + i, pairs[i]);
          }
        }
      } else {
#pragma unroll
        for (i32 i = 0; i < kReadTogether * 4; ++i) {
          pairs[i / 4][i % 4] = residual_pair(args, part.product, row + i % 2 * 8,
                                              first + (begin + i / 4) * 16 + i % 4 / 2 * 8);
        }
      }
#pragma unroll
      for (i32 i = 0; i < kReadTogether; ++i) {
        const i32 sixteen = begin + i;
        if (sixteen < chunk.sixteens()) {
          float results[2][4];
          complete_sixteen(args, acc, chunk, sixteen, part, results);
#pragma unroll
          for (i32 k = 0; k < 4; ++k) {
            float* const sums = acc.eight_columns(chunk.i, chunk.column + sixteen * 16 + k / 2 * 8);
            sums[k % 2 * 2] = results[k / 2][k % 2 * 2];
            sums[k % 2 * 2 + 1] = results[k / 2][k % 2 * 2 + 1];
            add_pair<Config>(pairs[i][k], sums[k % 2 * 2], sums[k % 2 * 2 + 1]);
          }
        }
      }
    }
    if (in_ring && ((index + 1) % Config::kResidualChunks == 0 || index + 1 == Config::kChunks)) {
      ptx::named_barrier_sync(kFirstWarpgroupBarrier + warpgroup, kThreadsPerWarpgroup);
      release_stage(smem, at.stage, cta);
      at.advance();
    }
  }
}

/// Adds an R that arrives through the ring, before C is staged.
template <class Config>
__device__ inline void add_residual(const Args<Config>& args, const SharedMemory<Config>& smem,
                                    RingPosition<Config>& at, Accumulator<Config>& acc,
                                    const TileOrigin& tile, const WarpgroupPlace& place,
                                    const ClusterPlace& cta, i32 warpgroup) {
  if constexpr (Config::kResidualInRing) {
    add_residual_of_tile(args, smem, at, acc, tile, place, cta, warpgroup);
  }
}

}  // namespace tilecast
