#include "model/gemm/sim/grid.h"

#include <algorithm>
#include <memory>

#include "model/gemm/sim/kernel/dispatcher.h"
#include "model/gemm/sim/schedules/roles.h"

namespace tilecast {
namespace {

/// A slot of an SM, for one worker at a time.
struct Slot {
  std::vector<std::unique_ptr<Cta>> ctas;
  PhaseBarrier done;
};

Process run_slot(GemmKernel& kernel, Slot& slot, Dispatcher& dispatcher, u32 worker) {
  for (u32 phase = 0;; ++phase) {
    for (auto& cta : slot.ctas) {
      cta->begin(worker, slot.done);
    }
    for (auto& cta : slot.ctas) {
      start_roles(*cta, kernel.chip.engine.now());
    }
    co_await slot.done.wait(phase, {}, slot.ctas.front()->costs().launch.cta_refill);
    if (!dispatcher.any()) {
      co_return;
    }
    worker = dispatcher.take();
  }
}

std::unique_ptr<Slot> make_slot(GemmKernel& kernel, i32 slot_index) {
  const Tiling& t = kernel.config.tiling;
  const i32 size = cluster_size(t);
  const i32 one_per_sm = static_cast<i32>(kernel.places.size()) / size;
  auto slot = std::unique_ptr<Slot>(
      new Slot{{}, {kernel.chip.engine, size * role_count(kernel.config), "end of", slot_index}});
  std::vector<Cta*> cluster;
  for (i32 rank = 0; rank < size; ++rank) {
    const i32 at = slot_index % one_per_sm * size + rank;
    const i32 sm = kernel.places[static_cast<std::size_t>(at)];
    const TileCoord place{static_cast<u32>(rank % t.cluster_m),
                          static_cast<u32>(rank / t.cluster_m)};
    slot->ctas.push_back(std::make_unique<Cta>(kernel, slot_index * size + rank, sm, place));
    cluster.push_back(slot->ctas.back().get());
  }
  for (Cta* cta : cluster) {
    cta->join(cluster);
  }
  return slot;
}

}  // namespace

void run_grid(GemmKernel& kernel) {
  Dispatcher dispatcher(kernel);
  kernel.dispatcher = &dispatcher;
  const i32 count = std::min(kernel.residency.workers, static_cast<i32>(kernel.workers()));
  const KernelCosts& first = kernel.costs.front();
  std::vector<std::unique_ptr<Slot>> slots;
  for (i32 i = 0; i < count; ++i) {
    slots.push_back(make_slot(kernel, i));
    kernel.chip.engine.spawn(
        run_slot(kernel, *slots.back(), dispatcher, dispatcher.take()), {"place", -1, i},
        first.launch.cta_start +
            first.launch.dispatch * (i64{i} * cluster_size(kernel.config.tiling)));
  }
  kernel.chip.engine.run();
  kernel.dispatcher = nullptr;
}

}  // namespace tilecast
