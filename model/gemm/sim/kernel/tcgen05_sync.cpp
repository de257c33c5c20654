#include "model/gemm/sim/kernel/tcgen05_sync.h"

namespace tilecast {

Tcgen05Sync::Tcgen05Sync(Engine& engine, const KernelConfig& config)
    : stores_read(engine, warpgroups_per_tile(config.tiling), "stores read", 0) {
  const i32 group = cta_group(config.tiling);
  const i32 storing = warpgroups_per_tile(config.tiling);
  for (i32 i = 0; i < config.accumulators; ++i) {
    accumulator_full.emplace_back(engine, 1, "accumulator full", i);
    accumulator_empty.emplace_back(engine, storing * group, "accumulator empty", i);
  }
  // Responses are read by the storing and loading roles of each CTA and by the issuer.
  const i32 readers = (storing + 1) * group + 1;
  for (i32 i = 0; config.grid == Grid::kTakeover && i < kLaunchAnswers; ++i) {
    answer_full.emplace_back(engine, 1, "answer full", i);
    answer_empty.emplace_back(engine, readers, "answer empty", i);
  }
}

void Tcgen05Sync::reset() {
  for (auto* barriers : {&accumulator_full, &accumulator_empty, &answer_full, &answer_empty}) {
    for (PhaseBarrier& barrier : *barriers) {
      barrier.reset();
    }
  }
  stores_read.reset();
}

}  // namespace tilecast
