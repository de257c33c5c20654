#include "model/form/ends.h"

#include "model/base/math.h"

namespace tilecast {
namespace {

/// Costs of one chunk of every warpgroup: staging, store latency (issue to source read), and store
/// throughput.
struct Chunk {
  Cycles staging, store, rate;
};

/// Time to read one chunk of the addend per warpgroup. Each warpgroup keeps two loads in flight.
Cycles addend_read(const Loop& loop, const TileStore& store) {
  if (!store.addend || store.addend->staged > Cycles{}) {
    return {};
  }
  const Cycles intake = store.addend->intake;
  return std::max(intake * store.warpgroups, (loop.load_latency + intake) / 2);
}

/// Wait for the addend's first chunk.
Cycles addend_wait(const Loop& loop, const TileStore& store) {
  return store.addend && store.addend->staged == Cycles{} ? loop.load_latency : Cycles{};
}

Chunk chunk_of(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const Work& work,
               Cycles arithmetic) {
  const TileStore& store = work.store;
  const Bytes all = store.chunk * store.warpgroups * work.sms;
  const Cycles into_l2 = cycles_of(transfer_time(all, gpu.reduction->chip_store), sm_clock);
  const Cycles read = std::max(store.read * store.warpgroups, into_l2);
  const Cycles stored = read + store.latency;
  const Cycles staging =
      std::max({arithmetic + store.port + store.instructions, store.port * store.warpgroups,
                arithmetic > Cycles{} ? addend_read(loop, store) : Cycles{}});
  return store.by_threads ? Chunk{staging + stored, {}, {}} : Chunk{staging, stored, read};
}

/// Time from the last block of a tile to the issue of its last store.
Cycles shown_end(const Loop& loop, const Work& work, const Chunk& chunk) {
  const i32 chunks = work.store.chunks, slots = work.store.slots;
  Cycles waiting;
  if (slots > 0 && slots < chunks) {
    const Cycles each = chunk.store - chunk.staging * (slots - 1);
    const Cycles engine = (chunk.rate - chunk.staging) * (chunks - slots);
    waiting = std::max({Cycles{}, each * (ceil_div(chunks, slots) - 1), engine});
  }
  return loop.steps.back().completion + work.sequence.find + work.store.setup +
         addend_wait(loop, work.store) + chunk.staging * chunks + waiting;
}

Cycles last_store(const TileStore& store, const Chunk& chunk) {
  const i32 behind = store.slots == 0 ? store.chunks : min_of(store.slots, store.chunks);
  const Cycles shown =  // exposed time of the chunks that may be in flight
      chunk.rate * behind - chunk.staging * (store.slots == 0 ? 0 : behind - 1);
  return std::max(chunk.store, chunk.store - chunk.rate + shown);
}

/// Exposed part of deferred stores: what the next tile's blocks do not hide. The epilogue's
/// arithmetic is done before the stores are deferred.
Cycles deferred_end(const Loop& loop, const BlockTime& block, const Work& work,
                    const Chunk& chunk) {
  const TileStore& store = work.store;
  const Cycles each = std::max(chunk.staging, chunk.rate);
  const double hidden = std::min<double>(store.deferred, work.blocks);
  Cycles end = std::max(store.pack + store.arithmetic * store.chunks,
                        addend_read(loop, store) * store.chunks) +
               addend_wait(loop, store) + std::max(Cycles{}, each - block.time) * hidden +
               each * (store.deferred - hidden);
  if (store.deferred < store.chunks) {
    end += store.setup + each * (store.chunks - store.deferred);
  }
  return loop.steps.back().completion + work.sequence.find + end;
}

/// Exposed part of a tile's `end` and of the start of the next tile.
Cycles between_tiles(const GpuSpec& gpu, const Loop& loop, const LoadTimes& loads,
                     const BlockTime& block, const Work& work, const TileEnds& ends, Cycles end) {
  const TileStore& store = work.store;
  if (work.sequence.one_tile_per_cta) {
    return end + ends.last_store + work.sequence.refill + ends.first_load;
  }
  if (!work.sequence.loads_run_ahead) {
    return end + loop.issue + loads.stage() + loads.once;
  }
  const Cycles waits_for_loads = block.time - block.operands_there;
  // Staging the addend reduces the stages of the ring, which matters if loads are the bottleneck.
  const Cycles addend =
      store.addend ? std::min(store.addend->staged, waits_for_loads * work.blocks) : Cycles{};
  if (work.sequence.ends_overlap) {
    return std::max(Cycles{}, end - block.time * work.blocks) + addend;
  }
  const i32 stages = loop.rings.front().stages;
  const double caught_up = std::min<double>(stages, work.blocks);
  const bool apart = loop.warpgroups > 1 && loop.flow != Flow::kOneIssuer;
  const double most = work.sequence.drift.value_or(gpu.machine->drift);
  const double drift = apart ? std::min({most, stages - 1.0, work.blocks}) : 0;
  const Cycles hidden = std::max(waits_for_loads * caught_up, block.time * drift);
  return end - std::min(end, hidden) + addend + store.operands_late;
}

}  // namespace

TileEnds tile_ends(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const LoadTimes& loads,
                   const BlockTime& block, const Work& work) {
  const TileStore& store = work.store;
  const Chunk chunk = chunk_of(gpu, sm_clock, loop, work, store.arithmetic);
  TileEnds ends{};
  ends.first_load =
      loop.flow == Flow::kInOrder ? Cycles{} : loop.issue + loads.stage() + loads.once;
  ends.after_last = shown_end(loop, work, chunk) + work.sequence.fill;
  ends.last_store = last_store(store, chunk);
  const Cycles end = store.deferred == 0
                         ? ends.after_last - work.sequence.fill
                         : deferred_end(loop, block, work, chunk_of(gpu, sm_clock, loop, work, {}));
  ends.between = work.sequence.fill +
                 between_tiles(gpu, loop, loads, block, work, ends, end + work.sequence.next);
  return ends;
}

}  // namespace tilecast
