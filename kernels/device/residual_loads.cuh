// The producer's part of loading R through the ring of stages (model/gemm/config/residual_ring.h).
// Chunk i of all warpgroups of a tile is in one stage. Chunks fill B's part of a stage first, then
// A's.
#pragma once

#include "kernels/device/mma.cuh"

namespace tilecast {

/// Address of chunk `index` of the tile's warpgroup `warpgroup`, in the stage that holds it.
template <class Config>
__device__ inline u32 residual_slot(const SharedMemory<Config>& smem,
                                    const RingPosition<Config>& at, i32 index, i32 warpgroup) {
  constexpr i32 kInB = Config::kSmem.b_stage_bytes / Config::kSmem.c_slot_bytes;
  const i32 place =
      index % Config::kResidualChunks * warpgroups_per_tile(Config::kTiling) + warpgroup;
  return place < kInB ? smem.b(at.b_stage()) + place * Config::kSmem.c_slot_bytes
                      : smem.a(at.stage) + (place - kInB) * Config::kSmem.c_slot_bytes;
}

/// Prefetches a tile's R into L2 chunk by chunk, spread over the tile's K blocks. If all SMs
/// prefetched it at the start of a tile, the operands would wait for DRAM. Called by the producer.
template <class Config>
class ResidualFetch {
 public:
  __device__ explicit ResidualFetch(i32 k_blocks) : apart_(max_of(1, k_blocks / kCount)) {}

  __device__ void behind(const Args<Config>& args, const TileOrigin& tile, i32 k_block) {
    if (k_block != next_ * apart_ || next_ == kCount || args.result.residual_by_tma == 0) {
      return;
    }
    const Chunk<Config> chunk = Chunk<Config>::at(next_ / kWarpgroups);
    const WarpgroupPlace place = WarpgroupPlace::of<Config>(next_ % kWarpgroups);
    const i32 row = tile.m + place.row + chunk.i * kWgmmaM;
    for (i32 box = 0; box < chunk.boxes(); ++box) {
      const i32 column = tile.n + place.column + chunk.column + box * Config::kBoxColumns;
      if constexpr (Config::kBatched) {
        ptx::tma_prefetch_3d(&args.result.residual_map, column, row, c_matrix(args, tile));
      } else {
        ptx::tma_prefetch_2d(&args.result.residual_map, column, row);
      }
    }
    ++next_;
  }

 private:
  static constexpr i32 kWarpgroups = warpgroups_per_tile(Config::kTiling);
  static constexpr i32 kCount = Config::kChunks * kWarpgroups;

  i32 apart_;  // K blocks between two prefetches
  i32 next_ = 0;
};

/// Loads all of a tile's R, each chunk once its stage is empty. Called by one thread.
template <class Config>
__device__ inline void load_residual(const Args<Config>& args, const SharedMemory<Config>& smem,
                                     RingPosition<Config>& at, const TileOrigin& tile) {
  constexpr i32 kTogether = Config::kResidualChunks,
                kWarpgroups = warpgroups_per_tile(Config::kTiling);
#pragma unroll
  for (i32 first = 0; first < Config::kChunks; first += kTogether) {
    const i32 end = min_of(first + kTogether, Config::kChunks);
    i32 columns = 0;
    for (i32 index = first; index < end; ++index) {
      columns += Chunk<Config>::at(index).columns;
    }
    wait_empty(smem, at);
    const u32 barrier = smem.full(at.stage);
    ptx::mbarrier_arrive_expect_tx(barrier, columns * kWgmmaM * Config::kColumnBytes * kWarpgroups);
#pragma unroll
    for (i32 index = first; index < end; ++index) {
      const Chunk<Config> chunk = Chunk<Config>::at(index);
#pragma unroll
      for (i32 warpgroup = 0; warpgroup < kWarpgroups; ++warpgroup) {
        const WarpgroupPlace place = WarpgroupPlace::of<Config>(warpgroup);
        const u32 slot = residual_slot(smem, at, index, warpgroup);
#pragma unroll
        for (i32 box = 0; box < chunk.boxes(); ++box) {
          const i32 column = tile.n + place.column + chunk.column + box * Config::kBoxColumns;
          const i32 row = tile.m + place.row + chunk.i * kWgmmaM;
          if constexpr (Config::kBatched) {
            ptx::tma_load_3d(slot + box * Config::kBoxBytes, &args.result.residual_map, column, row,
                             c_matrix(args, tile), barrier);
          } else {
            ptx::tma_load_2d(slot + box * Config::kBoxBytes, &args.result.residual_map, column, row,
                             barrier);
          }
        }
      }
    }
    at.advance();
  }
}

}  // namespace tilecast
