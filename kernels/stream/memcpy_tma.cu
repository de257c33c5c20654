// out = in by the bulk copy engine: one thread keeps a ring of stages full of blocks on their way
// through shared memory. Nobody touches the data but the engine. A stage is loaded again once its
// store has read it, one block later, so that stages - 1 loads are in flight; with one stage each
// block waits for its own store.
//
// Contract: walk.workers CTAs of one warp; dynamic shared memory for kStream.stages blocks and as
// many barriers; args.a and args.c aligned to 16 bytes. What is left of the last 16 bytes goes by
// plain loads.
// Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warp.cuh"
#include "kernels/stream/block.cuh"

namespace tilecast {

/// Of the vector's block `index`: where it starts, and how much of it the engine can copy.
struct Piece {
  u64 start;
  u32 bytes;
};

__device__ __forceinline__ Piece piece_of(const StreamArgs& args, u32 index) {
  const u64 start = static_cast<u64>(index) * kBlockBytes;
  const u64 all = static_cast<u64>(args.columns) * kElementBytes;
  const u64 left = all - start;
  return {start, left >= kBlockBytes ? static_cast<u32>(kBlockBytes)
                                     : static_cast<u32>(left / kChunkBytes * kChunkBytes)};
}

struct Ring {
  u32 base;
  __device__ u32 stage(i32 s) const { return base + s * kBlockBytes; }
  __device__ u32 full(i32 s) const { return stage(kStream.stages) + s * 8; }
};

__device__ __forceinline__ void load(const StreamArgs& args, const Ring& ring, i32 stage, u32 index,
                                     u64 policy) {
  const Piece piece = piece_of(args, index);
  const u32 barrier = ring.full(stage);
  ptx::mbarrier_arrive_expect_tx(barrier, piece.bytes);
  const char* const from = static_cast<const char*>(args.a.pointer) + piece.start;
  if (piece.bytes == 0) {
    return;
  }
  if constexpr (kHintedLoads) {
    ptx::bulk_load_hinted(ring.stage(stage), from, piece.bytes, barrier, policy);
  } else {
    ptx::bulk_load(ring.stage(stage), from, piece.bytes, barrier);
  }
}

__device__ __forceinline__ void store(const StreamArgs& args, const Ring& ring, i32 stage,
                                      u32 index, u64 policy) {
  const Piece piece = piece_of(args, index);
  char* const to = static_cast<char*>(args.c.pointer) + piece.start;
  if (piece.bytes > 0) {
    if constexpr (kHintedStores) {
      ptx::bulk_store_hinted(to, ring.stage(stage), piece.bytes, policy);
    } else {
      ptx::bulk_store(to, ring.stage(stage), piece.bytes);
    }
  }
  ptx::tma_store_commit();
}

/// The last elements, fewer than the engine takes.
__device__ __forceinline__ void copy_rest(const StreamArgs& args) {
  const u64 all = static_cast<u64>(args.columns) * kElementBytes;
  for (u64 at = all / kChunkBytes * kChunkBytes; at < all; at += 2) {
    using Half = unsigned short;
    *reinterpret_cast<Half*>(static_cast<char*>(args.c.pointer) + at) =
        *reinterpret_cast<const Half*>(static_cast<const char*>(args.a.pointer) + at);
  }
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kStreamThreads,
                                             tilecast::kStream.ctas_per_sm)
    tilecast_stream(const __grid_constant__ tilecast::StreamArgs args) {
  using namespace tilecast;
  extern __shared__ __align__(1024) char dynamic[];
  if (!ptx::elect_one()) {
    return;
  }
  const Ring ring{ptx::shared_address(dynamic)};
  for (i32 stage = 0; stage < kStream.stages; ++stage) {
    ptx::mbarrier_init(ring.full(stage), 1);
  }
  ptx::fence_mbarrier_init();
  ptx::fence_proxy_async();
  const u64 policy = stream_policy();
  const u32 end = args.walk.end(blockIdx.x);
  u32 load_index = args.walk.first(blockIdx.x);
  for (i32 stage = 0; stage < kStream.stages && load_index < end; ++stage) {
    load(args, ring, stage, load_index, policy);
    load_index = args.walk.next(load_index);
  }
  constexpr i32 kLag = kStream.stages > 1 ? 1 : 0;  // stores that may still read their stage
  i32 at = 0, previous = kLag == 0 ? 0 : -1;
  u32 phase = 0;
  for (u32 index = args.walk.first(blockIdx.x); index < end; index = args.walk.next(index)) {
    ptx::mbarrier_wait_or_trap(ring.full(at), phase);
    store(args, ring, at, index, policy);
    if (previous >= 0 && load_index < end) {
      ptx::tma_store_wait_read<kLag>();
      load(args, ring, previous, load_index, policy);
      load_index = args.walk.next(load_index);
    }
    if (kLag == 1) {
      previous = at;
    }
    if (++at == kStream.stages) {
      at = 0;
      phase ^= 1;
    }
  }
  if (blockIdx.x == 0) {
    copy_rest(args);
  }
  ptx::tma_store_wait_read<0>();
}
