// out = in with plain loads and stores: a thread loads all its vectors of a block, then stores
// them. The registers of the resident threads limit the bytes in flight.
//
// Launch: walk.workers CTAs of kStreamThreads threads; args.a and args.c aligned to a vector.
// Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/stream/block.cuh"

namespace tilecast {

__device__ __forceinline__ void run(const StreamArgs& args) {
  const u64 policy = stream_policy();
  for_each_block(args, [&](const Block& block) { pass_block<false>(args, block, policy); });
}

}  // namespace tilecast
