// The loop over K blocks of every GEMM kernel with a ring, for any tensor core instruction.
//
// A tensor core operation (wgmma_operation.cuh, tcgen05_operation.cuh) provides
//   wait_operands(smem, at)          waits for the stage's bytes
//   issue(smem, at, accumulate)      starts the K block's multiply-adds; accumulate false resets
//   wait_outstanding(smem, oldest)   waits until at most kLag K blocks are unfinished; `oldest` is
//                                    the first issued one that was not waited for
//   release(smem, at, place)         releases a finished block's stage
//   finish(smem)                     waits for all, or notifies the reader of the result later
// An operation accumulates into the accumulators that it was created with.
#pragma once

#include "kernels/device/stage_ring.cuh"

namespace tilecast {

/// Fill and drain positions of the ring; persists across tiles.
template <class Config>
struct RingState {
  RingPosition<Config> load, consume, release;
};

/// Multiplies one tile. `after_each(k_block)` is called for every K block, after its multiply-adds
/// have been issued and the stage of the block kLag earlier has been released. `on_issued()` is
/// called once all are issued.
template <class Config, class Operation, class AfterEach, class OnIssued>
__device__ __forceinline__ void multiply_k_blocks(const SharedMemory<Config>& smem,
                                                  Operation& operation,
                                                  RingPosition<Config>& consume,
                                                  RingPosition<Config>& release, i32 k_blocks,
                                                  const ClusterPlace& place, AfterEach after_each,
                                                  OnIssued on_issued) {
  static_assert(Operation::kLag < Config::kTiling.stages,
                "a stage must be free while multiply-adds are in flight");
  for (i32 k_block = 0; k_block < k_blocks; ++k_block) {
    operation.wait_operands(smem, consume);
    operation.issue(smem, consume, k_block > 0);
    consume.advance();
    operation.wait_outstanding(smem, release, k_block);
    if (k_block >= Operation::kLag) {
      operation.release(smem, release, place);
      release.advance();
    }
    after_each(k_block);
  }
  on_issued();
  operation.finish(smem);
  while (release.stage != consume.stage) {
    operation.release(smem, release, place);
    release.advance();
  }
}

}  // namespace tilecast
