#include "model/sim/kernel/tcgen05_epilogue.h"

#include <algorithm>

#include "model/sim/kernel/epilogue.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

SimTime set_up_tcgen05(Cta& cta) {
  const bool first = !cta.sm().has_stored;
  cta.sm().has_stored = true;
  return cta.costs().epilogue + (first ? cta.costs().first_epilogue : SimTime{});
}

/// From now on: out of tensor memory.
SimTime read_chunk(Cta& cta) {
  const SimTime now = cta.engine().now();
  const bool beside_mmas = cta.sm().tensor.free_at() > now;
  return cta.sm().tensor_memory.serve(
      now, beside_mmas ? cta.costs().tensor_memory_shared : cta.costs().tensor_memory);
}

/// When the chunk that is stored now has been read from shared memory.
SimTime store_chunk(Cta& cta) {
  const SimTime now = cta.engine().now();
  const SimTime read = cta.sm().stores.serve(now, cta.costs().store_read);
  const SimTime taken = cta.machine().memory.take_in(now, cta.sm().place, cta.costs().chunk_bytes);
  return std::max(read, taken) + cta.costs().store_latency;
}

/// How long a chunk waits for its slot; where C borrows stages each has one that is free.
SimTime slot_free(const Cta& cta, const Warpgroup& wg, i32 chunk, i32 chunks) {
  const i32 slots = static_cast<i32>(wg.slot_read.size());
  if (cta.tiling().c_slots == 0) {
    return {};
  }
  if (chunk == 0 && chunks % slots != 0) {
    return wg.stores_read;  // the tile before ended in the middle of a round
  }
  return wg.slot_read[static_cast<std::size_t>(chunk % slots)];
}

}  // namespace

Process store_accumulator(Cta& cta, Warpgroup& wg, TileCoord tile, Turn& from) {
  const KernelCosts& costs = cta.costs();
  const std::size_t place = static_cast<std::size_t>(from.index);
  const i32 chunks = c_chunks(cta.machine().config.schedule, cta.tiling());
  const i32 slots = cta.tiling().c_slots == 0 ? chunks : std::min(cta.tiling().c_slots, chunks);
  wg.slot_read.resize(static_cast<std::size_t>(slots));
  co_await cta.tcgen05().accumulator_full[place].wait(from.use, wg.ready, {});
  TileSpan span = cta.leader().tcgen05().spans[place];
  span.multiplied = cta.engine().now();
  wg.ready = span.multiplied + set_up_tcgen05(cta);
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    wg.ready = std::max(wg.ready, slot_free(cta, wg, chunk, chunks));
    co_await cta.engine().until(wg.ready);
    const SimTime read = read_chunk(cta);
    co_await cta.engine().until(read);
    if (chunk == chunks - 1) {
      cta.leader().tcgen05().accumulator_empty[place].arrive(read + SimTime{costs.chunk.ps / 2} +
                                                             costs.wake);
    }
    const SimTime staged = cta.sm().intake.serve(read, costs.staging);
    wg.ready = staged + costs.chunk + costs.slot;
    co_await cta.engine().until(wg.ready);
    wg.slot_read[static_cast<std::size_t>(chunk % slots)] = wg.stores_read = store_chunk(cta);
    wg.ready = costs.plain_stores ? wg.stores_read : wg.ready;
  }
  // Tiles of two accumulators overlap: each has a row of a timeline.
  wg.index = wg.part + from.index * warpgroups_per_tile(cta.tiling());
  record_stored(cta, wg, tile, span);
  wg.ready += costs.next_tile;
  from.advance(cta.machine().config.accumulators);
}

}  // namespace tilecast
