// C = A + B with asynchronous copies and one buffer: issue both copies, wait, add, store. Within a
// CTA nothing overlaps; each resident CTA has two blocks in flight.
//
// Launch: as elementwise_add.cu; dynamic shared memory for one block each of A and B. Checked by:
// kernels/jit/stream_launch_test.cpp.
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/stream/copied_block.cuh"

namespace tilecast {

__device__ __forceinline__ void run(const StreamArgs& args) {
  extern __shared__ __align__(1024) char dynamic[];
  const u32 a = ptx::shared_address(dynamic);
  const u32 b = a + kBlockBytes;
  const u64 policy = stream_policy();
  for_each_block(args, [&](const Block& block) {
    copy_block(args, args.a, block, a, policy);
    copy_block(args, args.b, block, b, policy);
    ptx::cp_async_commit();
    ptx::cp_async_wait<0>();
    store_block<true>(args, block, a, b, policy);
  });
}

}  // namespace tilecast
