// What the roles of a tcgen05 kernel tell each other beside full and empty stages: whose turn a
// place for accumulators in tensor memory is, and which tile a running CTA has taken over. Barriers
// as in kernels/device/tcgen05_setup.cuh; the four warps of a warpgroup that stores arrive as one.
#pragma once

#include <array>
#include <vector>

#include "model/base/tile_span.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/sim/engine/phase_barrier.h"
#include "model/sim/parts/turn.h"

namespace tilecast {

constexpr u32 kNoTile = ~u32{0};  // as an answer

struct Tcgen05Sync {
  Tcgen05Sync(Engine& engine, const KernelConfig& config);
  /// As new.
  void reset();

  std::vector<PhaseBarrier> accumulator_full;   // its MMAs are complete; in each CTA of a pair
  std::vector<PhaseBarrier> accumulator_empty;  // read by all who store it; of the leader
  std::vector<PhaseBarrier> answer_full;        // in each CTA
  std::vector<PhaseBarrier> answer_empty;       // read by all roles of the pair; of the leader
  PhaseBarrier stores_read;                     // of a tile that borrows stages
  std::array<u32, kLaunchAnswers> answers{};
  std::array<TileSpan, kMostAccumulators> spans{};  // of the tiles being multiplied; the leader's
};

}  // namespace tilecast
