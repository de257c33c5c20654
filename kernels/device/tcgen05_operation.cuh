// tcgen05 as the operation of stage_loop.cuh: accumulators are in tensor memory, and one thread of
// the calling warp issues. In a pair, the peer's warp runs the same loop without issuing, at the
// pace of the commits, which arrive at its barriers too.
//
// A commit after each K block's MMAs makes the stage empty, so waiting for a K block and releasing
// its stage are both waits on that barrier. With kInflight 0 a K block is issued only once the
// previous one is complete; the previous one's stage is then loaded again.
#pragma once

#include "kernels/device/stage_loop.cuh"
#include "kernels/device/tcgen05_setup.cuh"
#include "kernels/device/tile_loads.cuh"

namespace tilecast {

template <class Config>
struct Tcgen05Operation {
  static constexpr i32 kLag = max_of(1, Config::kInflight);
  static constexpr u32 kInstruction = ptx::tcgen05_instruction(
      Config::kElementType, kTcgen05BlockM* Config::kCtaGroup, Config::kTiling.block_n);
  static constexpr i32 kBRows =
      Config::kTiling.block_n / Config::kCtaGroup;  // rows of B that this CTA loads

  ptx::SharedOperand a, b;  // operand descriptors of stage 0
  u32 tensor_memory;
  bool issues;                       // this CTA leads the pair
  AccumulatorPosition<Config> tile;  // position of the tile's accumulator

  __device__ static Tcgen05Operation<Config> start(const SharedMemory<Config>& smem,
                                                   const ClusterPlace& cta, u32 tensor_memory) {
    return {ptx::SharedOperand::swizzled_128(smem.a(0)),
            ptx::SharedOperand::swizzled_128(smem.b(0)),
            tensor_memory,
            leads<Config>(cta),
            {}};
  }

  /// First tensor-memory column of the tile at `at`.
  __device__ static u32 columns(u32 tensor_memory, const AccumulatorPosition<Config>& at) {
    return tensor_memory + static_cast<u32>(at.index * Config::kTiling.block_n);
  }

  /// Waits until the next tile's accumulator is free; the first MMA overwrites it.
  __device__ void begin_tile(const SharedMemory<Config>& smem) const {
    if (issues) {
      wait_for_group<Config>(Tcgen05Shared::of(smem).accumulator_empty(tile.index), tile.phase ^ 1);
      ptx::tcgen05_fence_after_thread_sync();
    }
  }

  __device__ void wait_operands(const SharedMemory<Config>& smem,
                                const RingPosition<Config>& at) const {
    if (issues) {
      wait_full(smem, at);
    }
  }

  __device__ void issue(const SharedMemory<Config>& smem, const RingPosition<Config>& at,
                        bool accumulate) const {
    if (Config::kInflight == 0 && accumulate) {
      wait_complete(smem, before(at));
    }
    if (issues && ptx::elect_one()) {
      ptx::tcgen05_fence_after_thread_sync();
      const ptx::SharedOperand stage_a = a.moved(at.stage * Config::kSmem.a_stage_bytes);
      const ptx::SharedOperand stage_b = b.moved(at.b_stage() * Config::kSmem.b_stage_bytes);
      const u32 to = columns(tensor_memory, tile);
#pragma unroll
      for (i32 step = 0; step < Config::kSteps; ++step) {
        const i32 k = step * Config::kInstructionK;
        const i32 slab = k / kSlabElements;
        const i32 in_row = k % kSlabElements * Config::kOperandBytes;
        ptx::tcgen05_mma_f16<Config::kCtaGroup>(
            to, stage_a.moved(slab * Config::kTiling.block_m * kSwizzleBytes + in_row),
            stage_b.moved(slab * kBRows * kSwizzleBytes + in_row), kInstruction,
            accumulate || step > 0);
      }
      ptx::tcgen05_commit<Config::kCtaGroup>(smem.empty(at.stage));
    }
    __syncwarp();
  }

  __device__ void wait_outstanding(const SharedMemory<Config>& smem,
                                   const RingPosition<Config>& oldest, i32 k_block) const {
    if (k_block >= kLag) {
      wait_complete(smem, oldest);
    }
  }

  /// Does nothing: the commit has released the stage.
  __device__ void release(const SharedMemory<Config>&, const RingPosition<Config>&,
                          const ClusterPlace&) const {}

  /// Signals the readers of the result once it is complete.
  __device__ void finish(const SharedMemory<Config>& smem) {
    if (issues && ptx::elect_one()) {
      ptx::tcgen05_commit<Config::kCtaGroup>(Tcgen05Shared::of(smem).accumulator_full(tile.index));
    }
    __syncwarp();
    tile.advance();
  }

 private:
  __device__ static void wait_complete(const SharedMemory<Config>& smem,
                                       const RingPosition<Config>& at) {
    ptx::mbarrier_wait(smem.empty(at.stage), at.phase);
  }
  __device__ static RingPosition<Config> before(const RingPosition<Config>& at) {
    RingPosition<Config> last = at;
    if (last.stage == 0) {
      last.stage = Config::kTiling.stages;
      last.phase ^= 1;
    }
    --last.stage;
    return last;
  }
};

}  // namespace tilecast
