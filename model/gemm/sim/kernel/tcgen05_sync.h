// Synchronization of a tcgen05 kernel's roles apart from the stages: who owns an accumulator in
// tensor memory, and which tile a running CTA has taken over. Barriers as in
// kernels/device/tcgen05_setup.cuh; the four warps of a storing warpgroup arrive as one.
#pragma once

#include <array>
#include <vector>

#include "model/base/tile_span.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/sim/engine/phase_barrier.h"
#include "model/sim/parts/turn.h"

namespace tilecast {

constexpr u32 kNoTile = ~u32{0};  // response: no tile is left

struct Tcgen05Sync {
  Tcgen05Sync(Engine& engine, const KernelConfig& config);
  /// Resets to the initial state.
  void reset();

  std::vector<PhaseBarrier>
      accumulator_full;  // the tile's MMAs are complete; one barrier per CTA of a pair
  std::vector<PhaseBarrier>
      accumulator_empty;  // all storing warps have read the tile; only the leader's is used
  std::vector<PhaseBarrier> answer_full;  // the response has arrived; one barrier per CTA
  std::vector<PhaseBarrier>
      answer_empty;  // all roles of the pair have read the response; only the leader's is used
  // the stores of a tile that was staged in pipeline stages have been read
  PhaseBarrier stores_read;
  std::array<u32, kLaunchAnswers> answers{};
  /// Timeline spans of the tiles in the accumulators; only the leader's are used.
  std::array<TileSpan, kMostAccumulators> spans{};
};

}  // namespace tilecast
