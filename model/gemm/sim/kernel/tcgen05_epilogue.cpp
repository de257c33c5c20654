#include "model/gemm/sim/kernel/tcgen05_epilogue.h"

#include <algorithm>

#include "model/gemm/config/smem_layout.h"
#include "model/gemm/sim/kernel/epilogue.h"
#include "model/sim/parts/store.h"

namespace tilecast {
namespace {

/// Returns the time at which a chunk has arrived if its read from tensor memory begins now.
SimTime read_chunk(Cta& cta) {
  const SimTime now = cta.engine().now();
  const bool beside_mmas = cta.sm().tensor.free_at() > now;
  return cta.sm().tensor_memory.serve(
      now, beside_mmas ? cta.costs().tensor_memory.read_shared : cta.costs().tensor_memory.read);
}

/// Returns the time at which a chunk's slot is free. If C aliases stages, each chunk has a free
/// one.
SimTime slot_free(const Cta& cta, const Warpgroup& wg, i32 chunk, i32 chunks) {
  const i32 slots = static_cast<i32>(wg.stores.slot_read.size());
  if (cta.tiling().c_slots == 0) {
    return {};
  }
  if (chunk == 0 && chunks % slots != 0) {
    return wg.stores.read;  // the previous tile ended in the middle of a round
  }
  return wg.stores.slot_read[static_cast<std::size_t>(chunk % slots)];
}

}  // namespace

Process store_accumulator(Cta& cta, Warpgroup& wg, TileCoord tile, Turn& from) {
  const KernelCosts& costs = cta.costs();
  const std::size_t place = static_cast<std::size_t>(from.index);
  const i32 chunks = c_chunks(cta.kernel().config.schedule, cta.tiling());
  const i32 slots = cta.tiling().c_slots == 0 ? chunks : std::min(cta.tiling().c_slots, chunks);
  wg.stores.slot_read.resize(static_cast<std::size_t>(slots));
  co_await cta.tcgen05().accumulator_full[place].wait(from.use, wg.ready, {});
  TileSpan span = cta.leader().tcgen05().spans[place];
  span.multiplied = cta.engine().now();
  wg.ready = span.multiplied + store_setup(cta.sm(), costs.store);
  for (i32 chunk = 0; chunk < chunks; ++chunk) {
    wg.ready = std::max(wg.ready, slot_free(cta, wg, chunk, chunks));
    co_await cta.engine().until(wg.ready);
    const SimTime read = read_chunk(cta);
    co_await cta.engine().until(read);
    if (chunk == chunks - 1) {
      cta.leader().tcgen05().accumulator_empty[place].arrive(
          read + SimTime{costs.store.chunk.ps / 2} + costs.load.wake);
    }
    const SimTime staged = stage_chunk(cta.sm(), read, costs.store);
    wg.ready = staged + costs.store.chunk + costs.store.slot;
    co_await cta.engine().until(wg.ready);
    wg.stores.slot_read[static_cast<std::size_t>(chunk % slots)] = wg.stores.read =
        store_chunks(cta.chip(), cta.sm(), 1, costs.store);
    wg.ready = costs.store.by_threads ? wg.stores.read : wg.ready;
  }
  // Two tiles with separate accumulators overlap, so each accumulator has its own timeline row.
  wg.index = wg.part + from.index * warpgroups_per_tile(cta.tiling());
  record_stored(cta, wg, tile, span);
  wg.ready += costs.tile.next;
  from.advance(cta.kernel().config.accumulators);
}

}  // namespace tilecast
