#include "model/sim/kernel/cta.h"

#include <algorithm>

#include "model/tile/residual_ring.h"

namespace tilecast {

Cta::Cta(Machine& machine, i32 id, i32 sm, TileCoord place)
    : machine_(machine),
      sm_(machine.sms[static_cast<std::size_t>(sm)]),
      costs_(machine.costs[sm_.place.gpc]),
      id_(id),
      place_(place),
      consumers_(machine.engine, warpgroups_per_tile(machine.config.tiling), "consumers", 0) {
  const Tiling& t = machine.config.tiling;
  const bool tcgen05 = uses_tcgen05(machine.config.schedule);
  // Of a pair the leader's barrier counts both CTAs' bytes, and one commit makes a stage empty.
  const i32 slices = tcgen05 ? 2 * cta_group(t) : t.cluster_m + t.cluster_n;
  const i32 releases = tcgen05 ? 1 : warpgroups_per_tile(t) * (t.cluster_m + t.cluster_n - 1);
  for (i32 stage = 0; stage < t.stages; ++stage) {
    full_.emplace_back(machine.engine, slices, "full", stage);
    empty_.emplace_back(machine.engine, releases, "empty", stage);
  }
  for (i32 warpgroup = 0; warpgroup < traits_of(machine.config.schedule).tiles_at_once;
       ++warpgroup) {
    turns_.emplace_back(machine.engine, 1, "turn", warpgroup);
  }
  for (i32 part = 0; machine.sums != nullptr && part < warpgroups_per_tile(t); ++part) {
    taken_.emplace_back(machine.engine, 1, "sum taken", part);
    ready_.emplace_back(machine.engine, 1, "clearing warps ready", part);
  }
  if (tcgen05) {
    tcgen05_ = std::make_unique<Tcgen05Sync>(machine.engine, machine.config);
  }
}

void Cta::join(const std::vector<Cta*>& cluster) {
  if (tcgen05_ != nullptr) {
    group_ = cluster;
    leader_ = cluster.front();
    same_row_ = same_column_ = {this};
    return;
  }
  for (Cta* cta : cluster) {
    if (cta->place_.m == place_.m) {
      same_row_.push_back(cta);
    }
    if (cta->place_.n == place_.n) {
      same_column_.push_back(cta);
    }
    if (cta->place_.m == place_.m || cta->place_.n == place_.n) {
      writers_.push_back(cta);
      told_ |= i64{1} << cta->rank();
    }
  }
}

void Cta::begin(u32 worker, PhaseBarrier& done) {
  worker_ = worker;
  done_ = &done;
  for (std::size_t stage = 0; stage < full_.size(); ++stage) {
    full_[stage].reset();
    empty_[stage].reset();
  }
  for (PhaseBarrier& turn : turns_) {
    turn.reset();
  }
  consumers_.reset();
  if (tcgen05_ != nullptr) {
    tcgen05_->reset();
  }
}

TileCoord Cta::tile_at(u32 linear) const {
  const TileCoord at = machine_.scheduler.coord(linear);
  const Tiling& t = machine_.config.tiling;
  return {at.m * static_cast<u32>(t.cluster_m) + place_.m,
          at.n * static_cast<u32>(t.cluster_n) + place_.n};
}

void Cta::land(Cta& at, i32 stage, SimTime memory, SimTime fill, i64 bytes) {
  const SimTime now = engine().now();
  machine_.sm_intake += bytes;
  const SimTime taken_in = at.sm().intake.serve(now, fill) + costs().l2_latency;
  at.leader_->full_[static_cast<std::size_t>(stage)].arrive(later(memory, taken_in));
}

void Cta::load_k_block(Warpgroup& producer, TileCoord tile, u32 k_block) {
  const SimTime now = engine().now();
  const i32 stage = producer.load.stage;
  const u32 index = machine_.tile_index(tile);
  const u32 a_panel = machine_.panels.a(tile), b_panel = machine_.panels.b(tile);
  const auto load = [&](u32 which, const OperandBlocks& operand, u32 panel, u32 slice,
                        const std::vector<Cta*>& sharers) {
    const BlockCost& cost = operand.cost(panel, slice, k_block);
    SimTime there = sm().copies.serve(now, cost.requests);
    if (cost.bytes > 0) {
      there = machine_.memory.load(
          now, there, {index, 2 * k_block + which}, operand.block(panel, slice, k_block),
          operand.fetch(panel, slice, k_block), cost, sm().place, sharers.size() > 1);
    }
    if (cost.outside.ps > 0) {
      there = std::max(there, machine_.memory.load_outside(now, cost, sm().place.gpc));
    }
    if (machine_.activity != nullptr) {
      machine_.activity->add(Resource::kFills, now, cost.bytes * static_cast<i64>(sharers.size()));
    }
    for (Cta* sharer : sharers) {
      land(*sharer, stage, there, cost.fill, cost.bytes);
    }
  };
  if (!sm().has_loaded) {
    sm().has_loaded = true;
    sm().copies.serve(now, costs().first_load);
  }
  note_often(producer, [&] {
    return Step{.kind = StepKind::kLoad,
                .at = stage,
                .tile_m = tile.m,
                .tile_n = tile.n,
                .k_block = k_block,
                .bytes = machine_.a.cost(a_panel, place_.n, k_block).bytes +
                         machine_.b.cost(b_panel, place_.m, k_block).bytes};
  });
  load(0, machine_.a, a_panel, place_.n, same_row_);
  load(1, machine_.b, b_panel, place_.m, same_column_);
  producer.load.advance(tiling().stages);
  producer.ready = now;
}

void Cta::fetch_residual(Warpgroup& producer) {
  if (costs().residual_stages > 0) {
    const i64 chunks = i64{c_chunks(tiling())} * warpgroups_per_tile(tiling());
    producer.residual_in_l2 =
        machine_.memory.read_ahead(engine().now(), costs().residual_dram * chunks);
  }
}

void Cta::load_residual(Warpgroup& producer, TileCoord tile, i32 index) {
  const SimTime now = engine().now();
  const Tiling& t = tiling();
  const i32 stage = producer.load.stage;
  const i32 together =
      residual_chunks_in_stage(machine_.config.schedule, t, machine_.c_column_bytes);
  const i32 first = index * together, end = std::min(first + together, c_chunks(t));
  const i64 chunks = i64{end - first} * warpgroups_per_tile(t);
  note(producer, {.kind = StepKind::kLoadResidual,
                  .at = stage,
                  .tile_m = tile.m,
                  .tile_n = tile.n,
                  .bytes = machine_.residual_bytes(tile, first, end)});
  const SimTime put_out =
      machine_.memory.put_out_beside(now, sm().place, costs().residual_output * chunks);
  const SimTime there = std::max(put_out, producer.residual_in_l2);
  // A stage is full with as many arrivals as a K block has slices.
  for (i32 slice = 1; slice < t.cluster_m + t.cluster_n; ++slice) {
    land(*this, stage, there, {}, 0);
  }
  land(*this, stage, there, costs().residual_fill * chunks, costs().chunk_bytes * chunks);
  producer.load.advance(t.stages);
  producer.ready = now;
}

void Cta::write_down(const Warpgroup& role, const Step& step) {
  (*machine_.steps)[{worker_, rank(), role.index}].push_back(step);
}

void Cta::finish(const Warpgroup& role) {
  note(role, {.kind = StepKind::kWaitStoresRead});
  done_->arrive(std::max({engine().now(), role.ready, role.stores_read}));
}

}  // namespace tilecast
