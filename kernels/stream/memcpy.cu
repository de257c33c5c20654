// out = in with plain loads and stores: a thread loads all its vectors of a block, then stores
// them. The registers of the resident threads limit the bytes in flight.
//
// Launch: walk.workers CTAs of kStreamThreads threads; args.a and args.c aligned to a vector.
// Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/stream/block.cuh"

namespace tilecast {

__device__ __forceinline__ void copy_whole_block(const StreamArgs& args, const Block& block,
                                                 u64 policy) {
  StreamVector v[kThreadVectors];
#pragma unroll
  for (i32 i = 0; i < kThreadVectors; ++i) {
    v[i] = ptx::load_global<kVectorBytes, kHintedLoads>(block.address(args.a, i), policy);
  }
#pragma unroll
  for (i32 i = 0; i < kThreadVectors; ++i) {
    ptx::store_global<kVectorBytes, kHintedStores>(block.address(args.c, i), v[i], policy);
  }
}

/// Copies one vector at a time, because blocks at the edges are rare.
__device__ __forceinline__ void copy_ragged_block(const StreamArgs& args, const Block& block,
                                                  u64 policy) {
#pragma unroll 1
  for (i32 i = 0; i < kThreadVectors; ++i) {
    const i32 valid = block.valid<false>(args, i);
    store_valid(block.address(args.c, i), load_valid(block.address(args.a, i), valid, policy),
                valid, policy);
  }
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kStreamThreads,
                                             tilecast::kStream.ctas_per_sm)
    tilecast_stream(const __grid_constant__ tilecast::StreamArgs args) {
  using namespace tilecast;
  const u64 policy = stream_policy();
  for_each_block(args, [&](const Block& block) {
    if (block.whole) {
      copy_whole_block(args, block, policy);
    } else {
      copy_ragged_block(args, block, policy);
    }
  });
}
