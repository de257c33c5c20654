#include "model/sim/kernel/epilogue.h"

#include <algorithm>

#include "model/tile/register_plan.h"
#include "model/tile/residual_ring.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

/// One chunk on its way to shared memory.
SimTime stage_chunk(Cta& cta) {
  return cta.sm().intake.serve(cta.engine().now(), cta.costs().staging);
}

/// Where R comes through the ring all is done before.
bool fuses(const Cta& cta) { return cta.costs().fused.ps > 0 && cta.costs().residual_stages == 0; }

/// When `share` of a chunk of R that is asked for now has come, which a fused epilogue waits for.
SimTime load_residual(Cta& cta, const Warpgroup& wg, i64 parts) {
  const SimTime now = cta.engine().now();
  const KernelCosts& costs = cta.costs();
  const SimTime taken = cta.sm().residual.serve(now, {costs.residual_intake.ps / parts});
  const SimTime put_out =
      cta.machine().memory.put_out_beside(now, cta.sm().place, {costs.residual_output.ps / parts});
  return std::max({taken, put_out, wg.residual_in_l2}) + costs.l2_latency;
}

/// One more of the tile's chunks is asked for, if there is one.
void ask_for_chunk(Cta& cta, Warpgroup& wg) {
  if (wg.residual_asked < c_chunks(cta.tiling())) {
    wg.residual_there[static_cast<std::size_t>(wg.residual_asked++ % 2)] =
        load_residual(cta, wg, 1);
  }
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

/// Chunk `chunk` of the tile, its epilogue taken, through a slot of the warpgroup's own.
Process store_through_slot(Cta& cta, Warpgroup& wg, i32 chunk) {
  const KernelCosts& costs = cta.costs();
  const i32 slots = std::min(cta.tiling().c_slots, c_chunks(cta.tiling()));
  wg.slot_read.resize(static_cast<std::size_t>(slots));
  SimTime& slot_read = wg.slot_read[static_cast<std::size_t>(chunk % slots)];
  if (chunk == 0) {
    cta.note(wg, {.kind = StepKind::kWaitStoresRead});
    wg.ready = std::max(wg.ready, wg.stores_read);  // of the tile before
  } else if (chunk >= slots) {
    cta.note(wg, {.kind = StepKind::kWaitStoresRead, .count = slots - 1});
    wg.ready = std::max(wg.ready, slot_read);
  }
  co_await cta.engine().until(wg.ready);
  cta.note(wg, {.kind = StepKind::kStage, .at = chunk});
  wg.ready = stage_chunk(cta) + costs.chunk + costs.slot;
  co_await cta.engine().until(wg.ready);
  cta.note(wg, {.kind = StepKind::kStore, .at = chunk});
  slot_read = wg.stores_read = store_chunks(cta, 1);
  wg.ready = costs.plain_stores ? slot_read : wg.ready;
}

/// The first `count` chunks of a tile.
Process store_from_slots(Cta& cta, Warpgroup& wg, i32 count) {
  wg.ready += set_up(cta);
  for (i32 chunk = 0; chunk < count; ++chunk) {
    if (fuses(cta)) {
      co_await fuse(cta, wg, 1);
    }
    co_await store_through_slot(cta, wg, chunk);
  }
}

/// Every warpgroup of the CTA that multiplies waits for the others, and takes `then`.
Process meet(Cta& cta, Warpgroup& wg, SimTime then) {
  cta.note(wg, {.kind = StepKind::kMeetConsumers});
  cta.consumers().arrive(wg.ready);
  co_await cta.consumers().wait(wg.consumers_phase++, wg.ready, then);
  wg.ready = cta.engine().now();
}

Process store_from_stages(Cta& cta, Warpgroup& wg) {
  const KernelCosts& costs = cta.costs();
  const i32 chunks = c_chunks(cta.tiling());
  co_await meet(cta, wg, set_up(cta));
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    if (fuses(cta)) {
      co_await fuse(cta, wg, 1);
    }
    co_await cta.engine().until(wg.ready);
    cta.note(wg, {.kind = StepKind::kStage, .at = chunk});
    wg.ready = stage_chunk(cta) + costs.chunk;
  }
  co_await meet(cta, wg, costs.store_issue);
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    cta.note(wg, {.kind = StepKind::kStore, .at = chunk});
  }
  wg.stores_read = store_chunks(cta, chunks);
  if (costs.plain_stores) {  // by the threads, of which none goes on before all have read
    wg.ready = wg.stores_read;
    co_await meet(cta, wg, {});
  }
}

void note_stored(Cta& cta, const Warpgroup& warpgroup, TileCoord tile) {
  cta.note(warpgroup, {.kind = StepKind::kPartStored, .tile_m = tile.m, .tile_n = tile.n});
}

void part_stored(Cta& cta, const Warpgroup& warpgroup, TileCoord tile) {
  Machine& machine = cta.machine();
  machine.memory.store(cta.engine().now(), machine.c_block(tile, warpgroup.part),
                       machine.c_bytes(tile, warpgroup.part));
  machine.last_store = std::max(machine.last_store, warpgroup.stores_read);
  machine.part_stored();
}

/// Of R that comes through the ring.
Process add_residual(Cta& cta, Warpgroup& wg) {
  const KernelCosts& costs = cta.costs();
  i32 left = c_chunks(cta.tiling());
  const Machine& machine = cta.machine();
  const i32 together =
      residual_chunks_in_stage(machine.config.schedule, cta.tiling(), machine.c_column_bytes);
  for (i32 stage = 0; stage < costs.residual_stages; ++stage) {
    const i32 chunks = std::min(together, left);
    left -= chunks;
    co_await cta.wait_loaded(wg);
    wg.ready = std::max(wg.ready, cta.engine().now());
    co_await cta.engine().until(wg.ready);
    wg.ready =
        cta.sm().arithmetic.serve(cta.engine().now(), costs.fused * chunks) + costs.residual_stage;
    wg.at.advance(cta.tiling().stages);
    cta.release_stage(wg);
  }
}

Process defer_tile(Cta& cta, Warpgroup& wg, TileCoord tile, i32 chunks) {
  while (wg.chunks_waiting > 0) {
    co_await store_waiting(cta, wg);
  }
  co_await add_residual(cta, wg);
  const i32 at_once = c_chunks(cta.tiling()) - chunks;
  if (at_once > 0) {
    co_await store_from_slots(cta, wg, at_once);
  }
  wg.ready += cta.costs().pack;
  if (fuses(cta)) {
    co_await fuse(cta, wg, chunks);
  }
  wg.chunks_waiting = chunks;
  wg.waiting_tile = tile;
}

}  // namespace

void fetch_residual(Cta& cta, Warpgroup& wg, u32 k_blocks) {
  const KernelCosts& costs = cta.costs();
  if (costs.residual_bytes > 0 && costs.residual_stages == 0) {
    const SimTime whole = costs.residual_dram * c_chunks(cta.tiling());
    wg.residual_asked = wg.residual_taken = 0;
    wg.residual_in_l2 =
        cta.machine().memory.read_ahead(cta.engine().now(), {whole.ps * k_blocks / cta.k_blocks()});
  }
}

Process fuse(Cta& cta, Warpgroup& wg, i64 chunks, i64 parts) {
  co_await cta.engine().until(wg.ready);
  if (cta.costs().residual_bytes == 0) {
    const SimTime whole = cta.costs().fused * chunks;
    wg.ready = cta.sm().arithmetic.serve(cta.engine().now(), SimTime{whole.ps / parts});
    co_return;
  }
  const bool shared = parts > 1;  // each piece reads its share of the tile by itself
  while (!shared && wg.residual_asked < 2 && wg.residual_asked < c_chunks(cta.tiling())) {
    ask_for_chunk(cta, wg);
  }
  for (i64 chunk = 0; chunk < chunks; ++chunk) {
    const SimTime there =
        shared ? load_residual(cta, wg, parts)
               : wg.residual_there[static_cast<std::size_t>(wg.residual_taken++ % 2)];
    wg.ready = std::max(wg.ready, there);
    co_await cta.engine().until(wg.ready);
    wg.ready = cta.sm().arithmetic.serve(cta.engine().now(), {cta.costs().fused.ps / parts});
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
  co_await store_through_slot(cta, wg, c_chunks(cta.tiling()) - wg.chunks_waiting);
  if (--wg.chunks_waiting == 0) {
    note_stored(cta, wg, wg.waiting_tile);
    part_stored(cta, wg, wg.waiting_tile);
  }
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
  if (const i32 deferred = deferred_chunks(cta.machine().config); deferred > 0) {
    co_await defer_tile(cta, warpgroup, tile, deferred);
    record_span(cta, warpgroup, tile, span);
    warpgroup.ready += cta.costs().next_tile;
    co_return;
  }
  co_await add_residual(cta, warpgroup);
  if (cta.tiling().c_slots > 0) {
    co_await store_from_slots(cta, warpgroup, c_chunks(cta.tiling()));
  } else {
    co_await store_from_stages(cta, warpgroup);
  }
  note_stored(cta, warpgroup, tile);
  record_stored(cta, warpgroup, tile, span);
  warpgroup.ready += cta.costs().next_tile;
}

}  // namespace tilecast
