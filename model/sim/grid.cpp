#include "model/sim/grid.h"

#include <algorithm>
#include <memory>

#include "model/sim/schedules/roles.h"

namespace tilecast {
namespace {

/// A place where one worker lives at a time.
struct Slot {
  std::vector<std::unique_ptr<Cta>> ctas;
  PhaseBarrier done;
};

/// Hands out workers in order; of one tile each, those of waves that are left out are none.
struct Dispatcher {
  u32 next, workers;
  u32 jump_at, jump_by;

  u32 take() {
    const u32 worker = next++;
    next += next == jump_at ? jump_by : 0;
    return worker;
  }
};

Dispatcher dispatcher_of(const Machine& machine) {
  const u32 workers = machine.workers();
  if (machine.config.grid == Grid::kResident) {
    return {0, workers, 0, 0};
  }
  const u32 places = static_cast<u32>(machine.residency.workers);
  return {0, workers, machine.skipped.after * places, machine.skipped.count * places};
}

Process run_slot(Machine& machine, Slot& slot, Dispatcher& dispatcher) {
  for (u32 phase = 0; dispatcher.next < dispatcher.workers; ++phase) {
    const u32 worker = dispatcher.take();
    for (auto& cta : slot.ctas) {
      cta->begin(worker, slot.done);
    }
    for (auto& cta : slot.ctas) {
      start_roles(*cta, machine.engine.now());
    }
    co_await slot.done.wait(phase, {}, machine.costs.cta_refill);
  }
}

std::unique_ptr<Slot> make_slot(Machine& machine, i32 slot_index) {
  const Tiling& t = machine.config.tiling;
  const i32 size = cluster_size(t);
  const i32 one_per_sm = std::max(1, machine.residency.workers / machine.residency.ctas_per_sm);
  auto slot = std::unique_ptr<Slot>(
      new Slot{{}, {machine.engine, size * role_count(machine.config), "end of", slot_index}});
  std::vector<Cta*> cluster;
  for (i32 rank = 0; rank < size; ++rank) {
    const i32 sm = slot_index % one_per_sm * size + rank;
    const TileCoord place{static_cast<u32>(rank % t.cluster_m),
                          static_cast<u32>(rank / t.cluster_m)};
    slot->ctas.push_back(std::make_unique<Cta>(machine, slot_index * size + rank, sm, place));
    cluster.push_back(slot->ctas.back().get());
  }
  for (Cta* cta : cluster) {
    cta->join(cluster);
  }
  return slot;
}

}  // namespace

void run_grid(Machine& machine) {
  Dispatcher dispatcher = dispatcher_of(machine);
  const i32 count = std::min(machine.residency.workers, static_cast<i32>(machine.workers()));
  std::vector<std::unique_ptr<Slot>> slots;
  for (i32 i = 0; i < count; ++i) {
    slots.push_back(make_slot(machine, i));
    machine.engine.spawn(run_slot(machine, *slots.back(), dispatcher), {"place", -1, i},
                         machine.costs.cta_start);
  }
  machine.engine.run();
}

}  // namespace tilecast
