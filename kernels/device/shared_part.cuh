// A part of a tile whose K blocks are divided among several workers: its partial sums in global
// memory, and the lock that counts the K blocks, or pieces, summed so far. Each warpgroup reduces
// its part of the tile independently, together with the warpgroups that have the same part in other
// CTAs.
#pragma once

#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/global_sync.cuh"
#include "model/gemm/order/reduction_workspace.h"

namespace tilecast {

template <class Config>
constexpr i32 kPartElements = Config::kWarpgroupRows * Config::kWarpgroupColumns;
template <class Config>
constexpr i32 kTileParts = warpgroups_per_tile(Config::kTiling);

/// Far more polls than any real wait needs; more than this traps instead of hanging.
constexpr u32 kMostPolls = 1u << 26;

/// Called by one thread.
template <class Until>
__device__ inline void poll(const u32* lock, Until until) {
  for (u32 polls = 0; !until(ptx::load_acquire(lock)); ++polls) {
    if (polls == kMostPolls) {
      __trap();
    }
  }
}

/// One warpgroup's part of a shared tile.
struct SharedPart {
  float* partial;  // kPartElements sums; for `spread`, those of split 0
  u32* lock;
  i32 warpgroup;

  template <class Config>
  __device__ static SharedPart of(const Args<Config>& args, const WorkPiece& piece,
                                  const ClusterPlace& place, i32 warpgroup) {
    const u32 tile = piece.tile * Config::kClusterSize + place.rank;
    const u32 part = tile * kTileParts<Config> + static_cast<u32>(warpgroup);
    const u32 copies = args.reduction == Reduction::kSpread ? args.work.splits : 1;
    return {args.partials + static_cast<u64>(part) * copies * kPartElements<Config>,
            args.locks + part, warpgroup};
  }

  /// The warpgroup waits until the lock satisfies `until`.
  template <class Until>
  __device__ void wait(Until until) const {
    if (threadIdx.x % kThreadsPerWarpgroup == 0) {
      poll(lock, until);
    }
    __syncwarp();
    ptx::named_barrier_sync(kFirstWarpgroupBarrier + warpgroup, kThreadsPerWarpgroup);
  }

  /// Makes the warpgroup's writes visible to any reader that sees the lock increased by `count`.
  __device__ void publish(u32 count) const {
    ptx::named_barrier_sync(kFirstWarpgroupBarrier + warpgroup, kThreadsPerWarpgroup);
    if (threadIdx.x % kThreadsPerWarpgroup == 0) {
      ptx::add_release(lock, count);
    }
  }
};

/// Address of the thread's `four`-th group of sums; adjacent threads have adjacent groups.
__device__ inline float* place_of(float* partial, i32 four) {
  return partial + (four * kThreadsPerWarpgroup + threadIdx.x % kThreadsPerWarpgroup) * 4;
}

}  // namespace tilecast
