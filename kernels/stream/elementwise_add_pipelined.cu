// C = A + B with asynchronous copies and kStream.stages buffers: copies run stages - 1 blocks ahead
// of the addition. Every block is one group of copies (an empty group after the end of the walk),
// so that the same wait serves prologue, loop and tail.
//
// Launch: as elementwise_add.cu; dynamic shared memory for kStream.stages blocks each of A and B.
// Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/stream/copied_block.cuh"

namespace tilecast {

constexpr i32 kAhead = kStream.stages - 1;

struct BlockBuffers {
  u32 base;
  __device__ u32 a(i32 stage) const { return base + stage * 2 * kBlockBytes; }
  __device__ u32 b(i32 stage) const { return a(stage) + kBlockBytes; }
};

__device__ __forceinline__ i32 next_stage(i32 stage) {
  return stage == kStream.stages - 1 ? 0 : stage + 1;
}

__device__ __forceinline__ void issue(const StreamArgs& args, const BlockBuffers& buffers,
                                      u32 index, u32 end, i32 stage, u64 policy) {
  if (index < end) {
    const Block block = Block::of(args, index);
    copy_block(args, args.a, block, buffers.a(stage), policy);
    copy_block(args, args.b, block, buffers.b(stage), policy);
  }
  ptx::cp_async_commit();
}

__device__ __forceinline__ void run(const StreamArgs& args) {
  extern __shared__ __align__(1024) char dynamic[];
  const BlockBuffers buffers{ptx::shared_address(dynamic)};
  const u64 policy = stream_policy();
  const u32 end = args.walk.end(blockIdx.x);
  u32 read_index = args.walk.first(blockIdx.x);
  u32 copy_index = read_index;
  i32 read_stage = 0, copy_stage = 0;
#pragma unroll
  for (i32 i = 0; i < kAhead; ++i) {
    issue(args, buffers, copy_index, end, copy_stage, policy);
    copy_index = args.walk.next(copy_index);
    copy_stage = next_stage(copy_stage);
  }
  for (; read_index < end; read_index = args.walk.next(read_index)) {
    issue(args, buffers, copy_index, end, copy_stage, policy);
    copy_index = args.walk.next(copy_index);
    copy_stage = next_stage(copy_stage);
    ptx::cp_async_wait<kAhead>();
    store_block<true>(args, Block::of(args, read_index), buffers.a(read_stage),
                      buffers.b(read_stage), policy);
    read_stage = next_stage(read_stage);
  }
  ptx::cp_async_wait<0>();
}

}  // namespace tilecast
