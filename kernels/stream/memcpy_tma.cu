// out = in with bulk copies through shared memory: one thread keeps a ring of stages full, and no
// thread touches the data. A stage is reloaded once its store has read it, one block later, so that
// stages - 1 loads are in flight; with one stage, each block waits for its store. With
// order=tickets a CTA starts with its blocks of the strided walk; then it draws the index of each
// next block from a counter, one block ahead to hide the latency of the draw. So CTAs never drift
// apart.
//
// Key: stream.ticket (copies in blocks of 2 KiB, limited by the rate of draws).
//
// Launch: walk.workers CTAs of one warp; dynamic shared memory for kStream.stages blocks and as
// many barriers; args.a and args.c aligned to 16 bytes. Plain loads copy the rest that is not a
// multiple of 16 bytes. Checked by: kernels/jit/stream_launch_test.cpp.
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warp.cuh"
#include "kernels/stream/block.cuh"

namespace tilecast {

/// Start of block `index` of the vector, and the length that a bulk copy can move.
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

constexpr bool kTickets = kStream.order == BlockOrder::kTickets;

struct Ring {
  u32 base;
  __device__ u32 stage(i32 s) const { return base + s * kBlockBytes; }
  __device__ u32 full(i32 s) const { return stage(kStream.stages) + s * 8; }
  /// Stores the index of a stage's block, if it cannot be computed.
  __device__ void remember(i32 s, u32 index) const {
    if constexpr (kTickets) {
      ptx::store_shared<4>(full(kStream.stages + s), {{index}});
    }
  }
  __device__ u32 remembered(i32 s) const {
    return ptx::load_shared<4>(full(kStream.stages + s)).word[0];
  }
};

/// Supplies the blocks of one CTA, in load order.
class Supply {
 public:
  __device__ explicit Supply(const StreamArgs& args)
      : args_(args), end_(args.walk.end(blockIdx.x)), next_(args.walk.first(blockIdx.x)) {}

  /// Returns the first block of each stage, known in advance.
  __device__ u32 take_planned() {
    const u32 taken = next_;
    next_ = args_.walk.next(next_);
    return taken;
  }
  __device__ void begin_drawing() {
    if constexpr (kTickets) {
      next_ = draw();
    }
  }
  /// Returns a later block. Reading a drawn index waits for it, so it is read as late as possible.
  __device__ u32 take() {
    if constexpr (kTickets) {
      const u32 drawn = next_;
      next_ = draw();
      return args_.walk.workers * kStream.stages + drawn;
    } else {
      return take_planned();
    }
  }
  __device__ bool ended(u32 index) const { return index >= end_; }

  /// Ends the CTA's draws; the last CTA to leave resets the counters.
  __device__ void leave() const {
    if constexpr (kTickets) {
      __threadfence();  // all draws of this CTA are complete
      if (atomicAdd(args_.tickets + 1, 1u) == args_.walk.workers - 1) {
        args_.tickets[0] = 0;
        args_.tickets[1] = 0;
      }
    }
  }

 private:
  __device__ u32 draw() const { return atomicAdd(args_.tickets, 1u); }

  const StreamArgs& args_;
  u32 end_, next_;
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

/// Copies the last elements, too few for a bulk copy.
__device__ __forceinline__ void copy_rest(const StreamArgs& args) {
  const u64 all = static_cast<u64>(args.columns) * kElementBytes;
  for (u64 at = all / kChunkBytes * kChunkBytes; at < all; at += 2) {
    using Half = unsigned short;
    *reinterpret_cast<Half*>(static_cast<char*>(args.c.pointer) + at) =
        *reinterpret_cast<const Half*>(static_cast<const char*>(args.a.pointer) + at);
  }
}

__device__ __forceinline__ void run(const StreamArgs& args) {
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
  Supply supply(args);
  for (i32 stage = 0; stage < kStream.stages; ++stage) {
    const u32 index = supply.take_planned();
    ring.remember(stage, index);
    if (!supply.ended(index)) {
      load(args, ring, stage, index, policy);
    }
  }
  supply.begin_drawing();
  constexpr i32 kLag = kStream.stages > 1 ? 1 : 0;  // stores that may still be reading their stage
  i32 at = 0, previous = kLag == 0 ? 0 : -1;
  u32 phase = 0;
  u32 index = args.walk.first(blockIdx.x);
  while (!supply.ended(index)) {
    ptx::mbarrier_wait_or_trap(ring.full(at), phase);
    store(args, ring, at, index, policy);
    if (previous >= 0) {
      const u32 loaded = supply.take();
      ring.remember(previous, loaded);
      if (!supply.ended(loaded)) {
        ptx::tma_store_wait_read<kLag>();
        load(args, ring, previous, loaded, policy);
      }
    }
    if (kLag == 1) {
      previous = at;
    }
    if (++at == kStream.stages) {
      at = 0;
      phase ^= 1;
    }
    index = kTickets ? ring.remembered(at) : args.walk.next(index);
  }
  if (blockIdx.x == 0) {
    copy_rest(args);
  }
  supply.leave();
  ptx::tma_store_wait_read<0>();
}

}  // namespace tilecast
