// C = A + B with TMA: one thread keeps a ring of stages full, all threads add, and C is stored from
// the stage in which it was computed. A stage is reloaded once its C has been read, one block
// later, so that stages - 1 loads are in flight.
//
// Launch: walk.workers CTAs of kStreamThreads threads, stream_shared_bytes() of dynamic shared
// memory, tensor maps with the box stream_box(). Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/stream/tma_ring.cuh"

namespace tilecast {

__device__ __forceinline__ void run(const StreamArgs& args) {
  extern __shared__ __align__(1024) char dynamic[];
  const TmaRing ring = make_tma_ring(dynamic);
  const bool leader = ptx::uniform_warp_index() == 0 && ptx::elect_one();
  const u64 policy = stream_policy();
  const u32 end = args.walk.end(blockIdx.x);
  u32 load_index = args.walk.first(blockIdx.x);
  if (leader) {
    for (i32 stage = 0; stage < kStream.stages && load_index < end; ++stage) {
      load_stage(args, ring, stage, load_index, policy);
      load_index = args.walk.next(load_index);
    }
  }
  RingPlace at;
  i32 previous = -1;
  for (u32 index = args.walk.first(blockIdx.x); index < end; index = args.walk.next(index)) {
    ptx::mbarrier_wait_or_trap(ring.full(at.stage), at.phase);
    add_stage(ring, at.stage);
    __syncthreads();
    if (leader) {
      store_stage(args, ring, at.stage, index, policy);
      if (previous >= 0 && load_index < end) {
        ptx::tma_store_wait_read<1>();
        load_stage(args, ring, previous, load_index, policy);
        load_index = args.walk.next(load_index);
      }
    }
    previous = at.stage;
    at.advance();
  }
  if (leader) {
    ptx::tma_store_wait_read<0>();
  }
}

}  // namespace tilecast
