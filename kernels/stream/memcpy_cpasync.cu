// memcpy through shared memory: cp.async copies each block in, the threads wait, read it back and
// store it. With one buffer the copies of a CTA never overlap its stores; other CTAs hide that.
//
// Launch: walk.workers CTAs of kStreamThreads threads, kStream's buffer as dynamic shared memory,
// args.a and args.c aligned to a vector. Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/stream/copied_block.cuh"

namespace tilecast {

template <bool kWhole>
__device__ __forceinline__ void store_block(const StreamArgs& args, const Block& block, u32 buffer,
                                            u64 policy) {
#pragma unroll(kWhole ? kThreadVectors : 1)
  for (i32 i = 0; i < kThreadVectors; ++i) {
    store_valid(block.address(args.c, i), ptx::load_shared<kVectorBytes>(buffer + buffer_offset(i)),
                block.valid<kWhole>(args, i), policy);
  }
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kStreamThreads,
                                             tilecast::kStream.ctas_per_sm)
    tilecast_stream(const __grid_constant__ tilecast::StreamArgs args) {
  using namespace tilecast;
  extern __shared__ __align__(1024) char dynamic[];
  const u32 buffer = ptx::shared_address(dynamic);
  const u64 policy = stream_policy();
  for_each_block(args, [&](const Block& block) {
    copy_block(args, args.a, block, buffer, policy);
    ptx::cp_async_commit();
    ptx::cp_async_wait<0>();
    if (block.whole) {
      store_block<true>(args, block, buffer, policy);
    } else {
      store_block<false>(args, block, buffer, policy);
    }
  });
}
