#include "model/gemm/sim/kernel/cta.h"

#include <algorithm>

#include "model/gemm/config/residual_ring.h"
#include "model/sim/parts/load.h"

namespace tilecast {

namespace {

/// In a pair, the leader's barrier counts the bytes of both CTAs, and one commit frees a stage.
StageRing ring_of(GemmKernel& kernel) {
  const Tiling& t = kernel.config.tiling;
  const bool tcgen05 = uses_tcgen05(kernel.config.schedule);
  return {kernel.chip.engine, t.stages, tcgen05 ? 2 * cta_group(t) : t.cluster_m + t.cluster_n,
          tcgen05 ? 1 : warpgroups_per_tile(t) * (t.cluster_m + t.cluster_n - 1)};
}

}  // namespace

Cta::Cta(GemmKernel& kernel, i32 id, i32 sm, TileCoord place)
    : kernel_(kernel),
      sm_(kernel.chip.sms[static_cast<std::size_t>(sm)]),
      costs_(kernel.costs[sm_.place.gpc]),
      ring_(ring_of(kernel)),
      id_(id),
      place_(place),
      consumers_(kernel.chip.engine, warpgroups_per_tile(kernel.config.tiling), "consumers", 0) {
  const Tiling& t = kernel.config.tiling;
  for (i32 warpgroup = 0; warpgroup < traits_of(kernel.config.schedule).tiles_at_once;
       ++warpgroup) {
    turns_.emplace_back(kernel.chip.engine, 1, "turn", warpgroup);
  }
  for (i32 part = 0; kernel.sums != nullptr && part < warpgroups_per_tile(t); ++part) {
    taken_.emplace_back(kernel.chip.engine, 1, "sum taken", part);
    ready_.emplace_back(kernel.chip.engine, 1, "clearing warps ready", part);
  }
  if (uses_tcgen05(kernel.config.schedule)) {
    tcgen05_ = std::make_unique<Tcgen05Sync>(kernel.chip.engine, kernel.config);
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
  ring_.reset();
  for (PhaseBarrier& turn : turns_) {
    turn.reset();
  }
  consumers_.reset();
  if (tcgen05_ != nullptr) {
    tcgen05_->reset();
  }
}

TileCoord Cta::tile_at(u32 linear) const {
  const TileCoord at = kernel_.scheduler.coord(linear);
  const Tiling& t = kernel_.config.tiling;
  return {at.m * static_cast<u32>(t.cluster_m) + place_.m,
          at.n * static_cast<u32>(t.cluster_n) + place_.n};
}

void Cta::land(Cta& at, i32 stage, SimTime there, SimTime fill, i64 bytes) {
  tilecast::land(chip(), at.sm_, at.leader_->ring_.full(stage), there, fill, bytes, costs().load);
}

void Cta::load_k_block(Warpgroup& producer, TileCoord tile, u32 k_block) {
  const SimTime now = engine().now();
  const i32 stage = producer.load.stage;
  const u32 index = kernel_.tile_index(tile);
  const u32 a_panel = kernel_.panels.a(tile), b_panel = kernel_.panels.b(tile);
  const auto load = [&](u32 which, const OperandBlocks& operand, u32 panel, u32 slice,
                        const std::vector<Cta*>& sharers) {
    const BlockCost& cost = operand.cost(panel, slice, k_block);
    const SimTime there = ask_for_block(chip(), sm(),
                                        {.name = {index, 2 * k_block + which},
                                         .block = operand.block(panel, slice, k_block),
                                         .fetch = operand.fetch(panel, slice, k_block),
                                         .cost = cost},
                                        static_cast<i64>(sharers.size()));
    for (Cta* sharer : sharers) {
      land(*sharer, stage, there, cost.fill, cost.bytes);
    }
  };
  if (!sm().has_loaded) {
    sm().has_loaded = true;
    sm().copies.serve(now, costs().load.first);
  }
  note_often(producer, [&] {
    return Step{.kind = StepKind::kLoad,
                .at = stage,
                .tile_m = tile.m,
                .tile_n = tile.n,
                .k_block = k_block,
                .bytes = kernel_.a.cost(a_panel, place_.n, k_block).bytes +
                         kernel_.b.cost(b_panel, place_.m, k_block).bytes};
  });
  load(0, kernel_.a, a_panel, place_.n, same_row_);
  load(1, kernel_.b, b_panel, place_.m, same_column_);
  producer.load.advance(tiling().stages);
  producer.ready = now;
}

void Cta::fetch_residual(Warpgroup& producer) {
  if (costs().residual.stages > 0) {
    const i64 chunks = i64{c_chunks(tiling())} * warpgroups_per_tile(tiling());
    producer.residual.in_l2 =
        chip().memory.read_ahead(engine().now(), costs().residual.dram * chunks);
  }
}

void Cta::load_residual(Warpgroup& producer, TileCoord tile, i32 index) {
  const SimTime now = engine().now();
  const Tiling& t = tiling();
  const i32 stage = producer.load.stage;
  const i32 together = residual_chunks_in_stage(kernel_.config.schedule, t, kernel_.c_column_bytes);
  const i32 first = index * together, end = std::min(first + together, c_chunks(t));
  const i64 chunks = i64{end - first} * warpgroups_per_tile(t);
  note(producer, {.kind = StepKind::kLoadResidual,
                  .at = stage,
                  .tile_m = tile.m,
                  .tile_n = tile.n,
                  .bytes = kernel_.residual_bytes(tile, first, end)});
  const SimTime put_out =
      chip().memory.put_out_beside(now, sm().place, costs().residual.output * chunks);
  const SimTime there = std::max(put_out, producer.residual.in_l2);
  // A stage needs as many arrivals as a K block has slices.
  for (i32 slice = 1; slice < t.cluster_m + t.cluster_n; ++slice) {
    land(*this, stage, there, {}, 0);
  }
  land(*this, stage, there, costs().residual.fill * chunks, costs().residual.bytes * chunks);
  producer.load.advance(t.stages);
  producer.ready = now;
}

void Cta::write_down(const Warpgroup& role, const Step& step) {
  (*kernel_.steps)[{worker_, rank(), role.index}].push_back(step);
}

void Cta::finish(const Warpgroup& role) {
  note(role, {.kind = StepKind::kWaitStoresRead});
  done_->arrive(std::max({engine().now(), role.ready, role.stores.read}));
}

}  // namespace tilecast
