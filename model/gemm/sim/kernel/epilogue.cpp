#include "model/gemm/sim/kernel/epilogue.h"

#include <algorithm>

#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/residual_ring.h"
#include "model/gemm/config/smem_layout.h"
#include "model/sim/parts/store.h"

namespace tilecast {
namespace {

/// Returns false if the residual comes through the stages, because then the epilogue has been
/// applied already.
bool fuses(const Cta& cta) {
  return cta.costs().store.arithmetic.ps > 0 && cta.costs().residual.stages == 0;
}

/// Returns the time at which a share of a residual chunk that is requested now arrives. A fused
/// epilogue waits for it.
SimTime load_residual(Cta& cta, const Warpgroup& wg, i64 parts) {
  const SimTime now = cta.engine().now();
  const KernelCosts& costs = cta.costs();
  const SimTime taken = cta.sm().loads.serve(now, {costs.residual.intake.ps / parts});
  const SimTime put_out =
      cta.chip().memory.put_out_beside(now, cta.sm().place, {costs.residual.output.ps / parts});
  return std::max({taken, put_out, wg.residual.in_l2}) + costs.load.latency;
}

/// Requests one more of the tile's chunks, if there is one.
void ask_for_chunk(Cta& cta, Warpgroup& wg) {
  if (wg.residual.asked < c_chunks(cta.tiling())) {
    wg.residual.there[static_cast<std::size_t>(wg.residual.asked++ % 2)] =
        load_residual(cta, wg, 1);
  }
}

/// Stores chunk `chunk` of the tile, after its epilogue, through one of the warpgroup's slots.
Process store_through_slot(Cta& cta, Warpgroup& wg, i32 chunk) {
  const KernelCosts& costs = cta.costs();
  const i32 slots = std::min(cta.tiling().c_slots, c_chunks(cta.tiling()));
  wg.stores.slot_read.resize(static_cast<std::size_t>(slots));
  SimTime& slot_read = wg.stores.slot_read[static_cast<std::size_t>(chunk % slots)];
  if (chunk == 0) {
    cta.note(wg, {.kind = StepKind::kWaitStoresRead});
    wg.ready = std::max(wg.ready, wg.stores.read);  // the previous tile's stores
  } else if (chunk >= slots) {
    cta.note(wg, {.kind = StepKind::kWaitStoresRead, .count = slots - 1});
    wg.ready = std::max(wg.ready, slot_read);
  }
  co_await cta.engine().until(wg.ready);
  cta.note(wg, {.kind = StepKind::kStage, .at = chunk});
  wg.ready =
      stage_chunk(cta.sm(), cta.engine().now(), costs.store) + costs.store.chunk + costs.store.slot;
  co_await cta.engine().until(wg.ready);
  cta.note(wg, {.kind = StepKind::kStore, .at = chunk});
  slot_read = wg.stores.read = store_chunks(cta.chip(), cta.sm(), 1, costs.store);
  wg.ready = costs.store.by_threads ? slot_read : wg.ready;
}

/// Stores the first `count` chunks of a tile.
Process store_from_slots(Cta& cta, Warpgroup& wg, i32 count) {
  wg.ready += store_setup(cta.sm(), cta.costs().store);
  for (i32 chunk = 0; chunk < count; ++chunk) {
    if (fuses(cta)) {
      co_await fuse(cta, wg, 1);
    }
    co_await store_through_slot(cta, wg, chunk);
  }
}

/// Synchronizes the consumer warpgroups of a CTA; afterwards each spends `then`.
Process meet(Cta& cta, Warpgroup& wg, SimTime then) {
  cta.note(wg, {.kind = StepKind::kMeetConsumers});
  cta.consumers().arrive(wg.ready);
  co_await cta.consumers().wait(wg.stores.phase++, wg.ready, then);
  wg.ready = cta.engine().now();
}

/// Fuses and stages a warpgroup's chunks; there is space for all of them.
Process stage_chunks(Cta& cta, Warpgroup& wg, i32 chunks) {
  const StoreCosts& costs = cta.costs().store;
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    if (fuses(cta)) {
      co_await fuse(cta, wg, 1);
    }
    co_await cta.engine().until(wg.ready);
    cta.note(wg, {.kind = StepKind::kStage, .at = chunk});
    wg.ready = stage_chunk(cta.sm(), cta.engine().now(), costs) + costs.chunk;
  }
}

Process store_from_stages(Cta& cta, Warpgroup& wg) {
  const KernelCosts& costs = cta.costs();
  const i32 chunks = c_chunks(cta.tiling());
  co_await meet(cta, wg, store_setup(cta.sm(), cta.costs().store));
  co_await stage_chunks(cta, wg, chunks);
  co_await meet(cta, wg, costs.store.issue);
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    cta.note(wg, {.kind = StepKind::kStore, .at = chunk});
  }
  wg.stores.read = store_chunks(cta.chip(), cta.sm(), chunks, costs.store);
  if (costs.store
          .by_threads) {  // stored by threads, which continue only after all chunks have been read
    wg.ready = wg.stores.read;
    co_await meet(cta, wg, {});
  }
}

/// Stores like store_tile_by_threads of the kernels: without the copy engine, each warpgroup stores
/// its part.
Process store_by_threads(Cta& cta, Warpgroup& wg) {
  const KernelCosts& costs = cta.costs();
  const i32 chunks = c_chunks(cta.tiling());
  co_await meet(cta, wg, store_setup(cta.sm(), costs.store));
  co_await stage_chunks(cta, wg, chunks);
  co_await cta.engine().until(wg.ready);
  wg.ready = wg.stores.read = store_chunks(cta.chip(), cta.sm(), chunks, costs.store);
}

void note_stored(Cta& cta, const Warpgroup& warpgroup, TileCoord tile) {
  cta.note(warpgroup, {.kind = StepKind::kPartStored, .tile_m = tile.m, .tile_n = tile.n});
}

void part_stored(Cta& cta, const Warpgroup& warpgroup, TileCoord tile) {
  GemmKernel& kernel = cta.kernel();
  kernel.chip.memory.store(cta.engine().now(), kernel.c_block(tile, warpgroup.part),
                           kernel.c_bytes(tile, warpgroup.part));
  kernel.last_store = std::max(kernel.last_store, warpgroup.stores.read);
  kernel.part_stored();
}

/// Adds a residual that came through the stages.
Process add_residual(Cta& cta, Warpgroup& wg) {
  const KernelCosts& costs = cta.costs();
  i32 left = c_chunks(cta.tiling());
  const GemmKernel& kernel = cta.kernel();
  const i32 together =
      residual_chunks_in_stage(kernel.config.schedule, cta.tiling(), kernel.c_column_bytes);
  for (i32 stage = 0; stage < costs.residual.stages; ++stage) {
    const i32 chunks = std::min(together, left);
    left -= chunks;
    co_await cta.wait_loaded(wg);
    wg.ready = std::max(wg.ready, cta.engine().now());
    co_await cta.engine().until(wg.ready);
    wg.ready = cta.sm().arithmetic.serve(cta.engine().now(), costs.store.arithmetic * chunks) +
               costs.residual.stage;
    wg.at.advance(cta.tiling().stages);
    cta.release_stage(wg);
  }
}

Process defer_tile(Cta& cta, Warpgroup& wg, TileCoord tile, i32 chunks) {
  while (wg.stores.chunks_waiting > 0) {
    co_await store_waiting(cta, wg);
  }
  co_await add_residual(cta, wg);
  const i32 at_once = c_chunks(cta.tiling()) - chunks;
  if (at_once > 0) {
    co_await store_from_slots(cta, wg, at_once);
  }
  wg.ready += cta.costs().store.pack;
  if (fuses(cta)) {
    co_await fuse(cta, wg, chunks);
  }
  wg.stores.chunks_waiting = chunks;
  wg.stores.waiting_tile = tile;
}

}  // namespace

void fetch_residual(Cta& cta, Warpgroup& wg, u32 k_blocks) {
  const KernelCosts& costs = cta.costs();
  if (costs.residual.bytes > 0 && costs.residual.stages == 0) {
    const SimTime whole = costs.residual.dram * c_chunks(cta.tiling());
    wg.residual.asked = wg.residual.taken = 0;
    wg.residual.in_l2 =
        cta.chip().memory.read_ahead(cta.engine().now(), {whole.ps * k_blocks / cta.k_blocks()});
  }
}

Process fuse(Cta& cta, Warpgroup& wg, i64 chunks, i64 parts) {
  co_await cta.engine().until(wg.ready);
  if (cta.costs().residual.bytes == 0) {
    const SimTime whole = cta.costs().store.arithmetic * chunks;
    wg.ready = cta.sm().arithmetic.serve(cta.engine().now(), SimTime{whole.ps / parts});
    co_return;
  }
  const bool shared = parts > 1;  // each piece separately reads its share of the tile
  while (!shared && wg.residual.asked < 2 && wg.residual.asked < c_chunks(cta.tiling())) {
    ask_for_chunk(cta, wg);
  }
  for (i64 chunk = 0; chunk < chunks; ++chunk) {
    const SimTime there =
        shared ? load_residual(cta, wg, parts)
               : wg.residual.there[static_cast<std::size_t>(wg.residual.taken++ % 2)];
    wg.ready = std::max(wg.ready, there);
    co_await cta.engine().until(wg.ready);
    wg.ready =
        cta.sm().arithmetic.serve(cta.engine().now(), {cta.costs().store.arithmetic.ps / parts});
    if (!shared) {
      ask_for_chunk(cta, wg);
    }
  }
}

void record_stored(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span) {
  part_stored(cta, warpgroup, tile);
  record_span(cta, warpgroup, tile, span);
}

Process store_waiting(Cta& cta, Warpgroup& wg) {
  co_await store_through_slot(cta, wg, c_chunks(cta.tiling()) - wg.stores.chunks_waiting);
  if (--wg.stores.chunks_waiting == 0) {
    note_stored(cta, wg, wg.stores.waiting_tile);
    part_stored(cta, wg, wg.stores.waiting_tile);
  }
}

void record_span(Cta& cta, const Warpgroup& warpgroup, TileCoord tile, TileSpan span) {
  GemmKernel& kernel = cta.kernel();
  if (kernel.tiles == nullptr) {
    return;
  }
  span.sm = cta.sm_index();
  span.cta = cta.id();
  span.warpgroup = span.role == TileRole::kLoads  // timeline row after the consumers
                       ? consumer_warpgroups(kernel.config.schedule, kernel.config.tiling)
                       : warpgroup.index;
  span.tile_m = tile.m;
  span.tile_n = tile.n;
  span.stored = warpgroup.ready;
  kernel.tiles->push_back(span);
}

Process store_tile(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span) {
  if (!span.reduction) {
    span.multiplied = warpgroup.ready;
  }
  if (const i32 deferred = deferred_chunks(cta.kernel().config); deferred > 0) {
    co_await defer_tile(cta, warpgroup, tile, deferred);
    record_span(cta, warpgroup, tile, span);
    warpgroup.ready += cta.costs().tile.next;
    co_return;
  }
  co_await add_residual(cta, warpgroup);
  if (cta.tiling().c_slots > 0) {
    co_await store_from_slots(cta, warpgroup, c_chunks(cta.tiling()));
  } else if (uses_mma_sync(cta.kernel().config.schedule)) {
    co_await store_by_threads(cta, warpgroup);
  } else {
    co_await store_from_stages(cta, warpgroup);
  }
  note_stored(cta, warpgroup, tile);
  record_stored(cta, warpgroup, tile, span);
  warpgroup.ready += cta.costs().tile.next;
}

}  // namespace tilecast
