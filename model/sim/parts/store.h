// Models stores of results: chunks are staged from registers to shared memory and written from
// there by bulk stores.
#pragma once

#include <algorithm>

#include "model/sim/chip/chip.h"
#include "model/spec/step_costs.h"

namespace tilecast {

/// Time from the last tensor operation until the first chunk of C is staged.
inline SimTime store_setup(Sm& sm, const StoreCosts& costs) {
  const bool first = !sm.has_stored;
  sm.has_stored = true;
  return costs.setup + (first ? costs.first_setup : SimTime{});
}

/// Returns the time at which a chunk staged from `from` on is in shared memory.
inline SimTime stage_chunk(Sm& sm, SimTime from, const StoreCosts& costs) {
  return sm.intake.serve(from, costs.staging);
}

/// Returns the time at which chunks whose store is issued now have been read from shared memory.
inline SimTime store_chunks(Chip& chip, Sm& sm, i32 chunks, const StoreCosts& costs) {
  const SimTime now = chip.engine.now();
  const SimTime read = sm.stores.serve(now, costs.read * chunks);
  const SimTime taken = chip.memory.take_in(now, sm.place, costs.chunk_bytes * chunks);
  return std::max(read, taken) + costs.latency;
}

}  // namespace tilecast
