// C = A + B with plain loads: a thread loads all its vectors of a block, then adds and stores them.
// The registers of the resident threads limit the bytes in flight.
//
// Launch: walk.workers CTAs of kStreamThreads threads; pointers and row strides aligned to a
// vector, and unit column strides if a vector has more than one element.
// Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/stream/block.cuh"

namespace tilecast {

__device__ __forceinline__ void run(const StreamArgs& args) {
  const u64 policy = stream_policy();
  for_each_block(args, [&](const Block& block) { pass_block<true>(args, block, policy); });
}

}  // namespace tilecast
