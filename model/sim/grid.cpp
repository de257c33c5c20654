#include "model/sim/grid.h"

#include <algorithm>
#include <memory>

#include "model/sim/kernel/dispatcher.h"
#include "model/sim/schedules/roles.h"

namespace tilecast {
namespace {

/// A place where one worker lives at a time.
struct Slot {
  std::vector<std::unique_ptr<Cta>> ctas;
  PhaseBarrier done;
};

Process run_slot(Machine& machine, Slot& slot, Dispatcher& dispatcher, u32 worker) {
  for (u32 phase = 0;; ++phase) {
    for (auto& cta : slot.ctas) {
      cta->begin(worker, slot.done);
    }
    for (auto& cta : slot.ctas) {
      start_roles(*cta, machine.engine.now());
    }
    co_await slot.done.wait(phase, {}, slot.ctas.front()->costs().cta_refill);
    if (!dispatcher.any()) {
      co_return;
    }
    worker = dispatcher.take();
  }
}

std::unique_ptr<Slot> make_slot(Machine& machine, i32 slot_index) {
  const Tiling& t = machine.config.tiling;
  const i32 size = cluster_size(t);
  const i32 one_per_sm = static_cast<i32>(machine.places.size()) / size;
  auto slot = std::unique_ptr<Slot>(
      new Slot{{}, {machine.engine, size * role_count(machine.config), "end of", slot_index}});
  std::vector<Cta*> cluster;
  for (i32 rank = 0; rank < size; ++rank) {
    const i32 at = slot_index % one_per_sm * size + rank;
    const i32 sm = machine.places[static_cast<std::size_t>(at)];
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
  Dispatcher dispatcher(machine);
  machine.dispatcher = &dispatcher;
  const i32 count = std::min(machine.residency.workers, static_cast<i32>(machine.workers()));
  const KernelCosts& first = machine.costs.front();
  std::vector<std::unique_ptr<Slot>> slots;
  for (i32 i = 0; i < count; ++i) {
    slots.push_back(make_slot(machine, i));
    machine.engine.spawn(
        run_slot(machine, *slots.back(), dispatcher, dispatcher.take()), {"place", -1, i},
        first.cta_start + first.dispatch * (i64{i} * cluster_size(machine.config.tiling)));
  }
  machine.engine.run();
  machine.dispatcher = nullptr;
}

}  // namespace tilecast
