// C = A + B with TMA and specialized warps: one loads, one stores, the others add. There are no
// CTA-wide barriers; each stage cycles full -> computed -> empty.
//
// Launch: as elementwise_add_tma.cu; the last two warps load and store.
// Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/stream/tma_ring.cuh"

namespace tilecast {

__device__ void load_blocks(const StreamArgs& args, const TmaRing& ring, u32 end, u64 policy) {
  RingPlace at;
  for (u32 index = args.walk.first(blockIdx.x); index < end; index = args.walk.next(index)) {
    ptx::mbarrier_wait_or_trap(ring.empty(at.stage), at.phase ^ 1);
    load_stage(args, ring, at.stage, index, policy);
    at.advance();
  }
}

__device__ void store_blocks(const StreamArgs& args, const TmaRing& ring, u32 end, u64 policy) {
  RingPlace at;
  i32 previous = -1;
  for (u32 index = args.walk.first(blockIdx.x); index < end; index = args.walk.next(index)) {
    ptx::mbarrier_wait_or_trap(ring.computed(at.stage), at.phase);
    store_stage(args, ring, at.stage, index, policy);
    if (previous >= 0) {
      ptx::tma_store_wait_read<1>();
      ptx::mbarrier_arrive(ring.empty(previous));
    }
    previous = at.stage;
    at.advance();
  }
  ptx::tma_store_wait_read<0>();
}

__device__ void add_blocks(const StreamArgs& args, const TmaRing& ring, u32 end) {
  RingPlace at;
  for (u32 index = args.walk.first(blockIdx.x); index < end; index = args.walk.next(index)) {
    ptx::mbarrier_wait_or_trap(ring.full(at.stage), at.phase);
    add_stage(ring, at.stage);
    __syncwarp();
    if (threadIdx.x % kWarpThreads == 0) {
      ptx::mbarrier_arrive(ring.computed(at.stage));
    }
    at.advance();
  }
}

__device__ __forceinline__ void run(const StreamArgs& args) {
  extern __shared__ __align__(1024) char dynamic[];
  const TmaRing ring = make_tma_ring(dynamic);
  const i32 warp = ptx::uniform_warp_index();
  const u64 policy = stream_policy();
  const u32 end = args.walk.end(blockIdx.x);
  if (warp < kStream.warps) {
    add_blocks(args, ring, end);
  } else if (warp == kStream.warps) {
    if (ptx::elect_one()) {
      load_blocks(args, ring, end, policy);
    }
  } else if (ptx::elect_one()) {
    store_blocks(args, ring, end, policy);
  }
}

}  // namespace tilecast
