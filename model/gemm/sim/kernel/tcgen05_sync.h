// Synchronization of a tcgen05 kernel's roles besides full and empty stages: ownership of
// accumulators in tensor memory, and the tile that a running CTA has taken over. Barriers as in
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

constexpr u32 kNoTile = ~u32{0};  // as a response

struct Tcgen05Sync {
  Tcgen05Sync(Engine& engine, const KernelConfig& config);
  /// Resets to the initial state.
  void reset();

  std::vector<PhaseBarrier> accumulator_full;  // MMAs complete; one per CTA of a pair
  std::vector<PhaseBarrier>
      accumulator_empty;                  // read by all storing warps; only the leader's is used
  std::vector<PhaseBarrier> answer_full;  // one per CTA
  std::vector<PhaseBarrier>
      answer_empty;          // read by all roles of the pair; only the leader's is used
  PhaseBarrier stores_read;  // for a tile staged in pipeline stages
  std::array<u32, kLaunchAnswers> answers{};
  /// Timeline spans of the tiles in the accumulators; only the leader's are used.
  std::array<TileSpan, kMostAccumulators> spans{};
};

}  // namespace tilecast
