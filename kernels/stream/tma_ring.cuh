// The ring of stages of the TMA kernels. A stage is one block of A and one of B; C replaces A and
// is stored from there. Addition is element by element and all three have the same layout, so the
// layout in shared memory does not matter.
#pragma once

#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warp.cuh"
#include "kernels/stream/block.cuh"

namespace tilecast {

constexpr i32 kBoxColumns = box_columns(kStream, kElementType);
constexpr i32 kBoxes = kStream.block_columns / kBoxColumns;
constexpr i32 kBoxBytes = kBlockBytes / kBoxes;

struct TmaRing {
  u32 base;

  __device__ u32 a(i32 stage) const { return base + stage * 2 * kBlockBytes; }
  __device__ u32 b(i32 stage) const { return a(stage) + kBlockBytes; }
  /// Completes when A and B have arrived.
  __device__ u32 full(i32 stage) const {
    return base + kStream.stages * 2 * kBlockBytes + stage * 8;
  }
  /// Completes when every computing warp has written its part of C.
  __device__ u32 computed(i32 stage) const { return full(kStream.stages + stage); }
  /// Completes when C has been read by its store.
  __device__ u32 empty(i32 stage) const { return full(2 * kStream.stages + stage); }
};

struct RingPlace {
  i32 stage = 0;
  u32 phase = 0;

  __device__ void advance() {
    if (++stage == kStream.stages) {
      stage = 0;
      phase ^= 1;
    }
  }
};

/// Loads a stage; called by one thread. Out-of-bounds elements arrive as zeros and count as bytes.
__device__ __forceinline__ void load_stage(const StreamArgs& args, const TmaRing& ring, i32 stage,
                                           u32 index, u64 policy) {
  const BlockCoord at = args.walk.coord(index);
  const i32 y = static_cast<i32>(at.band) * kStream.block_rows;
  const i32 x = static_cast<i32>(at.column) * kStream.block_columns;
  ptx::mbarrier_arrive_expect_tx(ring.full(stage), 2 * kBlockBytes);
#pragma unroll
  for (i32 box = 0; box < kBoxes; ++box) {
    const i32 column = x + box * kBoxColumns;
    const u32 offset = box * kBoxBytes;
    if constexpr (kHintedLoads) {
      ptx::tma_load_2d_hinted(ring.a(stage) + offset, &args.a_map, column, y, ring.full(stage),
                              policy);
      ptx::tma_load_2d_hinted(ring.b(stage) + offset, &args.b_map, column, y, ring.full(stage),
                              policy);
    } else {
      ptx::tma_load_2d(ring.a(stage) + offset, &args.a_map, column, y, ring.full(stage));
      ptx::tma_load_2d(ring.b(stage) + offset, &args.b_map, column, y, ring.full(stage));
    }
  }
}

/// Stores a stage's C as one bulk group; always called by the same thread.
__device__ __forceinline__ void store_stage(const StreamArgs& args, const TmaRing& ring, i32 stage,
                                            u32 index, u64 policy) {
  const BlockCoord at = args.walk.coord(index);
  const i32 y = static_cast<i32>(at.band) * kStream.block_rows;
  const i32 x = static_cast<i32>(at.column) * kStream.block_columns;
#pragma unroll
  for (i32 box = 0; box < kBoxes; ++box) {
    const i32 column = x + box * kBoxColumns;
    const u32 source = ring.a(stage) + box * kBoxBytes;
    if constexpr (kHintedStores) {
      ptx::tma_store_2d_hinted(&args.c_map, source, column, y, policy);
    } else {
      ptx::tma_store_2d(&args.c_map, source, column, y);
    }
  }
  ptx::tma_store_commit();
}

/// Computes A += B for this thread's part of a stage, followed by the proxy fence for the store.
__device__ __forceinline__ void add_stage(const TmaRing& ring, i32 stage) {
#pragma unroll
  for (i32 i = 0; i < kThreadVectors; ++i) {
    const u32 offset = (threadIdx.x + i * kComputeThreads) * kVectorBytes;
    const StreamVector sum = add(ptx::load_shared<kVectorBytes>(ring.a(stage) + offset),
                                 ptx::load_shared<kVectorBytes>(ring.b(stage) + offset));
    ptx::store_shared<kVectorBytes>(ring.a(stage) + offset, sum);
  }
  ptx::fence_proxy_async();
}

/// Makes the ring: one thread initializes the barriers, which all threads may use on return.
__device__ __forceinline__ TmaRing make_tma_ring(const void* dynamic) {
  const TmaRing ring{ptx::shared_address(dynamic)};
  if (threadIdx.x == 0) {
    for (i32 stage = 0; stage < kStream.stages; ++stage) {
      ptx::mbarrier_init(ring.full(stage), 1);
      ptx::mbarrier_init(ring.computed(stage), kStream.warps);
      ptx::mbarrier_init(ring.empty(stage), 1);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  return ring;
}

}  // namespace tilecast
