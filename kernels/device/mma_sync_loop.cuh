// Loops over the K blocks in kernels without TMA and wgmma: threads copy K blocks into a ring of
// stages by cp.async, all stages but one ahead; warps read operands by ldmatrix, one K step ahead
// of the mma.sync that use them.
//
// There is one barrier per K block. After it the next K block is visible to every thread, and the
// stage of the previous block is free, because its last operands are already in registers.
#pragma once

#include "kernels/device/mma_sync_fragments.cuh"
#include "kernels/device/stage_loop.cuh"

namespace tilecast {

/// Multiplies K blocks [k_begin, k_end) of a tile, at least one, into cleared accumulators. Called
/// by all threads of a CTA when no stage is being read or copied to. On return no copy is in
/// flight.
template <class Config>
__device__ inline void multiply_by_threads(const Args<Config>& args,
                                           const SharedMemory<Config>& smem,
                                           Accumulator<Config>& acc, const TileOrigin& tile,
                                           const WarpgroupPlace& place, i32 k_begin, i32 k_end,
                                           RingState<Config>& ring) {
  constexpr i32 kStages = Config::kTiling.stages, kSteps = Config::kSteps;
  static_assert(kStages >= 2, "a K block is copied while another is multiplied");
  static_assert(kSteps % 2 == 0, "a K block begins with the first of two sets of fragments");
  const i32 k_blocks = k_end - k_begin;
  acc.clear();
  StageCopies<Config> copies(args, tile, k_begin);
#pragma unroll
  for (i32 k_block = 0; k_block < kStages - 1; ++k_block) {
    if (k_block < k_blocks) {
      copies.load(smem, ring.load.stage);
      ring.load.advance();
    }
    ptx::cp_async_commit();
  }
  load_epilogue(args, acc, tile, place);
  const FragmentReader<Config> reader(place);
  Fragments<Config> fragments[2];
  RingPosition<Config>& at = ring.consume;
  ptx::cp_async_wait<kStages - 2>();
  __syncthreads();
  reader.load(smem, at.stage, 0, fragments[0]);
  for (i32 k_block = 0; k_block < k_blocks; ++k_block) {
#pragma unroll
    for (i32 step = 0; step < kSteps; ++step) {
      const bool last = step == kSteps - 1;
      if (last) {  // fragments of the next K block; after the last one they are unused
        at.advance();
        ptx::cp_async_wait<kStages - 2>();
        __syncthreads();
      }
      reader.load(smem, at.stage, last ? 0 : step + 1, fragments[(step + 1) % 2]);
      if (step == 0) {
        if (k_block + kStages - 1 < k_blocks) {
          copies.load(smem, ring.load.stage);
          ring.load.advance();
        }
        ptx::cp_async_commit();
      }
      multiply(acc, fragments[step % 2]);
    }
  }
}

}  // namespace tilecast
