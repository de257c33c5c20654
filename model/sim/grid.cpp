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

/// Hands out workers in order. Where each has one tile, those of waves that are left out are none.
class Dispatcher {
 public:
  explicit Dispatcher(Machine& machine) : machine_(machine) {}

  bool any() const { return next_ < machine_.workers(); }
  u32 take() {
    if (machine_.rate && next_ % machine_.whole.tiles == 0) {
      wave_begins(next_ / machine_.whole.tiles);
    }
    return next_++;
  }

 private:
  void wave_begins(u32 wave) {
    if (machine_.rate->settled(wave, machine_.progress())) {
      machine_.skipped = waves_left(machine_.whole, wave);
      machine_.marks = machine_.rate->marks();
      machine_.rate.reset();
      next_ += machine_.skipped.count * machine_.whole.tiles;
    }
  }

  Machine& machine_;
  u32 next_ = 0;
};

Process run_slot(Machine& machine, Slot& slot, Dispatcher& dispatcher) {
  for (u32 phase = 0; dispatcher.any(); ++phase) {
    const u32 worker = dispatcher.take();
    for (auto& cta : slot.ctas) {
      cta->begin(worker, slot.done);
    }
    for (auto& cta : slot.ctas) {
      start_roles(*cta, machine.engine.now());
    }
    co_await slot.done.wait(phase, {}, slot.ctas.front()->costs().cta_refill);
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
    const i32 sm = machine.places[static_cast<std::size_t>(slot_index % one_per_sm * size + rank)];
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
  const i32 count = std::min(machine.residency.workers, static_cast<i32>(machine.workers()));
  const KernelCosts& first = machine.costs.front();
  std::vector<std::unique_ptr<Slot>> slots;
  for (i32 i = 0; i < count; ++i) {
    slots.push_back(make_slot(machine, i));
    machine.engine.spawn(
        run_slot(machine, *slots.back(), dispatcher), {"place", -1, i},
        first.cta_start + first.dispatch * (i * cluster_size(machine.config.tiling)));
  }
  machine.engine.run();
}

}  // namespace tilecast
