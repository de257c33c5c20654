#include "model/sim/epilogue.h"

#include <algorithm>

#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

/// One chunk on its way to shared memory.
SimTime stage_chunk(Cta& cta) {
  return cta.sm().intake.serve(cta.engine().now(), cta.costs().staging);
}

/// From the last wgmma to the first chunk.
SimTime set_up(Cta& cta) {
  const bool first = !cta.sm().has_stored;
  cta.sm().has_stored = true;
  return cta.costs().epilogue + (first ? cta.costs().first_epilogue : SimTime{});
}

/// Chunks issued now to be stored; when they have been read.
SimTime store_chunks(Cta& cta, i32 chunks) {
  const SimTime now = cta.engine().now();
  const SimTime read = cta.sm().stores.serve(now, cta.costs().store_read * chunks);
  const SimTime taken =
      cta.machine().memory.take_in(now, cta.sm().place, cta.costs().chunk_bytes * chunks);
  return std::max(read, taken) + cta.costs().store_latency;
}

Process store_from_slots(Cta& cta, Warpgroup& wg) {
  const KernelCosts& costs = cta.costs();
  const i32 chunks = c_chunks(cta.tiling());
  const i32 slots = std::min(cta.tiling().c_slots, chunks);
  wg.slot_read.resize(static_cast<std::size_t>(slots));
  wg.ready = std::max(wg.ready + set_up(cta), wg.stores_read);  // of the tile before
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    SimTime& slot_read = wg.slot_read[static_cast<std::size_t>(chunk % slots)];
    if (chunk >= slots) {
      wg.ready = std::max(wg.ready, slot_read);
    }
    co_await cta.engine().until(wg.ready);
    wg.ready = stage_chunk(cta) + costs.chunk + costs.slot;
    co_await cta.engine().until(wg.ready);
    slot_read = wg.stores_read = store_chunks(cta, 1);
    wg.ready = costs.plain_stores ? slot_read : wg.ready;
  }
}

Process store_from_stages(Cta& cta, Warpgroup& wg, u32& phase) {
  const KernelCosts& costs = cta.costs();
  const i32 chunks = c_chunks(cta.tiling());
  cta.consumers().arrive(wg.ready);
  co_await cta.consumers().wait(phase++, wg.ready, set_up(cta));
  wg.ready = cta.engine().now();
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    co_await cta.engine().until(wg.ready);
    wg.ready = stage_chunk(cta) + costs.chunk;
  }
  cta.consumers().arrive(wg.ready);
  co_await cta.consumers().wait(phase++, wg.ready, costs.store_issue);
  wg.ready = cta.engine().now();
  wg.stores_read = store_chunks(cta, chunks);
}

}  // namespace

void record_stored(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span) {
  Machine& machine = cta.machine();
  machine.memory.store(cta.engine().now(), machine.c_block(tile, warpgroup.part),
                       machine.c_bytes(tile, warpgroup.part));
  machine.last_store = std::max(machine.last_store, warpgroup.stores_read);
  machine.part_stored();
  record_span(cta, warpgroup, tile, span);
}

void record_span(Cta& cta, const Warpgroup& warpgroup, TileCoord tile, TileSpan span) {
  Machine& machine = cta.machine();
  if (machine.tiles == nullptr) {
    return;
  }
  span.sm = cta.sm_index();
  span.cta = cta.id();
  span.warpgroup = warpgroup.index;
  span.tile_m = tile.m;
  span.tile_n = tile.n;
  span.stored = warpgroup.ready;
  machine.tiles->push_back(span);
}

Process store_tile(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span) {
  if (!span.reduction) {
    span.multiplied = warpgroup.ready;
  }
  if (cta.tiling().c_slots > 0) {
    co_await store_from_slots(cta, warpgroup);
  } else {
    co_await store_from_stages(cta, warpgroup, warpgroup.consumers_phase);
  }
  record_stored(cta, warpgroup, tile, span);
  warpgroup.ready += cta.costs().next_tile;
}

}  // namespace tilecast
