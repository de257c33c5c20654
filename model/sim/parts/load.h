// Bulk copies of operand blocks into the stages of a ring.
#pragma once

#include <algorithm>

#include "model/sim/chip/chip.h"
#include "model/sim/engine/phase_barrier.h"
#include "model/spec/step_costs.h"

namespace tilecast {

/// A block, as the memory system identifies it.
struct BlockLoad {
  LoadName name;
  u32 block;
  MemorySystem::Fetch fetch;
  const BlockCost& cost;
};

/// Returns the time at which L2's response arrives if an SM requests a block now on behalf of
/// `receivers` CTAs.
inline SimTime ask_for_block(Chip& chip, Sm& sm, const BlockLoad& load, i64 receivers) {
  const SimTime now = chip.engine.now();
  const BlockCost& cost = load.cost;
  SimTime there = sm.copies.serve(now, cost.requests);
  if (cost.bytes > 0) {
    there = chip.memory.load(now, there, load.name, load.block, load.fetch, cost, sm.place,
                             receivers > 1);
  }
  if (cost.outside.ps > 0) {
    there = std::max(there, chip.memory.load_outside(now, cost, sm.place.gpc));
  }
  if (chip.activity != nullptr) {
    chip.activity->add(Resource::kFills, now, cost.bytes * receivers);
  }
  return there;
}

/// Fills bytes that arrive from L2 at `there` into an SM's shared memory, and then arrives at the
/// stage's barrier.
inline void land(Chip& chip, Sm& sm, PhaseBarrier& full, SimTime there, SimTime fill, i64 bytes,
                 const LoadCosts& costs) {
  chip.sm_intake += bytes;
  const SimTime taken_in = sm.intake.serve(chip.engine.now(), fill) + costs.latency;
  full.arrive(later(there, taken_in));
}

}  // namespace tilecast
