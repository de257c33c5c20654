// memcpy through shared memory: cp.async copies each block in, the threads wait, read it back and
// store it. With one buffer the copies of a CTA never overlap its stores; other CTAs hide that.
//
// Launch: walk.workers CTAs of kStreamThreads threads, kStream's buffer as dynamic shared memory,
// args.a and args.c aligned to a vector. Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/stream/copied_block.cuh"

namespace tilecast {

__device__ __forceinline__ void run(const StreamArgs& args) {
  extern __shared__ __align__(1024) char dynamic[];
  const u32 buffer = ptx::shared_address(dynamic);
  const u64 policy = stream_policy();
  for_each_block(args, [&](const Block& block) {
    copy_block(args, args.a, block, buffer, policy);
    ptx::cp_async_commit();
    ptx::cp_async_wait<0>();
    store_block<false>(args, block, buffer, buffer, policy);
  });
}

}  // namespace tilecast
