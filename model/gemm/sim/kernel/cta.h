// One CTA and the steps of its roles. The steps are named as in kernels/gemm, so the processes in
// schedules/ read like the kernels.
//
// A warpgroup has a separate time, `ready`, which may be ahead of the engine's: events whose time
// is known, such as the completion of wgmmas on an in-order pipe, need no event in the engine.
// Shared resources are used only at the engine's time.
//
// Checked by: simulate_test.cpp, random_kernels_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "model/gemm/sim/kernel/gemm_kernel.h"
#include "model/gemm/sim/kernel/tcgen05_sync.h"
#include "model/sim/engine/process.h"
#include "model/sim/parts/mma.h"
#include "model/sim/parts/stage_ring.h"

namespace tilecast {

/// A warpgroup's stores of results.
struct ResultStores {
  std::vector<SimTime> slot_read;  // time at which each staging slot has been read
  SimTime read;                    // time at which all slots have been read
  i32 chunks_waiting = 0;          // chunks still to be stored of a tile with deferred store
  TileCoord waiting_tile{};        // the tile that these chunks belong to
  u32 phase = 0;                   // phase of the CTA's consumers barrier
};

/// A warpgroup's reads of a tile's residual.
struct ResidualReads {
  i32 asked = 0, taken = 0;        // chunks requested and consumed
  SimTime in_l2;                   // time at which the whole part has arrived in L2
  std::array<SimTime, 2> there{};  // times at which the next two chunks arrive
};

/// A consumer warpgroup, or the producer.
struct Warpgroup {
  i32 index = 0;          // index among the CTA's consumers, or another role's name (step_log.h)
  i32 part = 0;           // index of its part of the tile
  SimTime ready;          // time at which it can issue its next instruction
  RingPosition load, at;  // next K block to load; next one to multiply
  RingPosition to_release;
  MmaGroups mma;
  SimTime committed;  // tcgen05: completion of the last K block's MMAs
  ResultStores stores;
  ResidualReads residual;
  u32 sums_taken = 0;  // number of partial sums taken from other pieces, if warps clear them
};

class Cta {
 public:
  Cta(GemmKernel& kernel, i32 id, i32 sm, TileCoord place);

  /// `cluster`: CTAs by rank, including this one.
  void join(const std::vector<Cta*>& cluster);
  /// Resets the CTA to run worker `worker`; `done` gets one arrival per role.
  void begin(u32 worker, PhaseBarrier& done);

  GemmKernel& kernel() { return kernel_; }
  Chip& chip() { return kernel_.chip; }
  Engine& engine() { return kernel_.chip.engine; }
  const KernelCosts& costs() const { return costs_; }
  const Tiling& tiling() const { return kernel_.config.tiling; }
  i32 id() const { return id_; }
  i32 rank() const {
    return static_cast<i32>(place_.m) + static_cast<i32>(place_.n) * tiling().cluster_m;
  }
  u32 worker() const { return worker_; }
  i32 inflight() const { return kernel_.config.inflight; }
  u32 k_blocks() const { return kernel_.k_blocks; }  // K blocks per tile, if all tiles are equal
  u32 k_blocks_of(u32 linear) const {
    const std::vector<u32>& rows = kernel_.k_blocks_of_rows;
    return rows.empty() ? kernel_.k_blocks : rows[tile_at(linear).m];
  }

  // Walk over this worker's cluster tiles, and this CTA's part of each.
  u32 first_tile() const { return kernel_.scheduler.first(worker_); }
  u32 next_tile(u32 linear) const;  // jumps over skipped waves
  u32 end_tile() const { return kernel_.scheduler.end(worker_); }
  /// Walk over pieces of tiles, if K is split.
  WorkPiece first_piece() const { return kernel_.work.first(worker_); }
  WorkPiece next_piece(const WorkPiece& piece) const;
  TileCoord tile_at(u32 linear) const;

  /// co_await: resumes when all warpgroups have released the stage and the load instructions have
  /// issued.
  PhaseBarrier::Wait wait_empty(const Warpgroup& producer);
  /// co_await: resumes when the stage's bytes have arrived and the instructions around the wgmmas
  /// have issued.
  PhaseBarrier::Wait wait_full(const Warpgroup& consumer) {
    return wait_stage(consumer, costs().mma.turn);
  }
  /// co_await: resumes when the stage's bytes have arrived.
  PhaseBarrier::Wait wait_loaded(const Warpgroup& consumer) { return wait_stage(consumer, {}); }

  /// Issues bulk copies of this CTA's slices of a K block of A and B, to all CTAs that share them.
  void load_k_block(Warpgroup& producer, TileCoord tile, u32 k_block);
  /// Prefetches a tile's residual into L2 when the tile begins, if it comes through the pipeline
  /// stages.
  void fetch_residual(Warpgroup& producer);
  /// Issues bulk copies of the part of the tile's residual in its `index`th stage.
  void load_residual(Warpgroup& producer, TileCoord tile, i32 index);
  /// Issues and commits the wgmmas of one K block.
  void mma_k_block(Warpgroup& consumer);
  /// Issues and commits one wgmma row of a stage's K block, with fp32 promotion.
  void mma_row(Warpgroup& consumer, i32 stage);
  /// Waits until at most `groups` of the committed groups are in flight.
  void wait_mma(Warpgroup& consumer, i32 groups);
  /// Releases the oldest stage held, at each CTA that writes to it.
  void release_stage(Warpgroup& consumer);

  /// tcgen05: the pair that shares instructions, or only this CTA; and the CTA that issues them.
  const std::vector<Cta*>& group() const { return group_; }
  Cta& leader() { return *leader_; }
  bool leads() const { return leader_ == this; }
  Tcgen05Sync& tcgen05() { return *tcgen05_; }
  StageRing& ring() { return ring_; }

  /// Logs a step of the role, if requested.
  void note(const Warpgroup& role, const Step& step) {
    if (kernel_.steps != nullptr) {
      write_down(role, step);
    }
  }
  /// Logs a step that occurs in every K block; `step()` builds the entry only if requested.
  template <class StepOf>
  void note_often(const Warpgroup& role, const StepOf& step) {
    if (kernel_.steps != nullptr) [[unlikely]] {
      write_down(role, step());
    }
  }

  /// Ends a role, at the role's time.
  void finish(const Warpgroup& role);

  Sm& sm() { return sm_; }
  i32 sm_index() const { return kernel_.chip.index(sm_); }
  /// Barrier of all consumers of the CTA, for C staged in pipeline stages.
  PhaseBarrier& consumers() { return consumers_; }
  /// Barrier with which a ping-pong warpgroup passes the tensor cores to this one.
  PhaseBarrier& turn_of(i32 warpgroup) { return turns_[static_cast<std::size_t>(warpgroup)]; }

  /// Barriers for the warpgroup's part of a shared tile: its owner has read the sum; the clearing
  /// warps are ready for the next sum.
  PhaseBarrier& sum_taken(i32 part) { return taken_[static_cast<std::size_t>(part)]; }
  PhaseBarrier& clearing_ready(i32 part) { return ready_[static_cast<std::size_t>(part)]; }

 private:
  PhaseBarrier::Wait wait_stage(const Warpgroup& consumer, SimTime then);
  void write_down(const Warpgroup& role, const Step& step);
  void land(Cta& at, i32 stage, SimTime there, SimTime fill, i64 bytes);

  GemmKernel& kernel_;
  Sm& sm_;
  const KernelCosts& costs_;  // costs of the SM's GPC
  StageRing ring_;
  std::vector<Cta*> writers_;  // CTAs whose loads fill this one's stages
  i64 told_ = 0;               // ranks of those CTAs as a bit mask
  i32 id_;
  u32 worker_ = 0;
  TileCoord place_;  // position in the cluster
  std::vector<Cta*> same_row_,
      same_column_;  // CTAs of the cluster that share A, and that share B, including this one
  std::vector<PhaseBarrier> turns_, taken_, ready_;
  PhaseBarrier consumers_;
  PhaseBarrier* done_ = nullptr;
  Cta* leader_ = this;  // CTA whose barriers track full stages
  std::vector<Cta*> group_;
  std::unique_ptr<Tcgen05Sync> tcgen05_;  // null for wgmma kernels
};

inline u32 Cta::next_tile(u32 linear) const {
  const TileScheduler& s = kernel_.scheduler;
  u32 next = s.next(linear);
  if (kernel_.skipped.count > 0) {
    const u32 step = next - linear;
    next +=
        next == s.first(worker_) + kernel_.skipped.after * step ? kernel_.skipped.count * step : 0;
  }
  return next;
}

inline WorkPiece Cta::next_piece(const WorkPiece& piece) const {
  WorkPiece next = kernel_.work.next(worker_, piece);
  const WholeWaves& whole = kernel_.whole;
  if (kernel_.skipped.count > 0 &&
      next.tile == whole.begin + kernel_.skipped.after * whole.tiles + worker_) {
    next.tile += kernel_.skipped.count * whole.tiles;
    next.index = next.tile;
  }
  return next;
}

// Inlined, since it is called once per K block.

inline PhaseBarrier::Wait Cta::wait_empty(const Warpgroup& producer) {
  const RingPosition& at = producer.load;
  note_often(producer, [&] {
    return Step{.kind = StepKind::kWaitEmpty, .at = at.stage, .count = ~at.round & 1};
  });
  return ring_.wait_empty(at, producer.ready, costs().load.issue);
}

inline PhaseBarrier::Wait Cta::wait_stage(const Warpgroup& consumer, SimTime then) {
  const RingPosition& at = consumer.at;
  note_often(consumer, [&] {
    return Step{.kind = StepKind::kWaitFull, .at = at.stage, .count = at.round & 1};
  });
  return ring_.wait_full(at, consumer.ready, then);
}

inline void Cta::mma_k_block(Warpgroup& consumer) {
  const MmaCosts& mma = costs().mma;
  note_often(consumer, [&] { return Step{.kind = StepKind::kMultiply, .at = consumer.at.stage}; });
  const SimTime complete = consumer.mma.issue(chip(), sm(), mma.time, mma.operand_bytes);
  consumer.ready = later(engine().now() + mma.issue, complete - mma.queue);
  consumer.at.advance(tiling().stages);
  ++kernel_.k_blocks_multiplied;
}

inline void Cta::mma_row(Warpgroup& consumer, i32 stage) {
  const MmaCosts& mma = costs().mma;
  note_often(consumer, [&] { return Step{.kind = StepKind::kMultiply, .at = stage}; });
  consumer.mma.issue(chip(), sm(), {mma.time.ps / mma.promoted_parts},
                     mma.operand_bytes / mma.promoted_parts);
}

inline void Cta::wait_mma(Warpgroup& consumer, i32 groups) {
  note_often(consumer, [&] { return Step{.kind = StepKind::kWaitMultiplied, .count = groups}; });
  consumer.ready = consumer.mma.wait(consumer.ready, static_cast<u32>(groups), costs().mma);
}

inline void Cta::release_stage(Warpgroup& consumer) {
  note_often(consumer, [&] {
    return Step{.kind = StepKind::kRelease, .at = consumer.to_release.stage, .count = told_};
  });
  for (Cta* writer : writers_) {
    writer->ring_.empty(consumer.to_release.stage).arrive(consumer.ready + costs().load.wake);
  }
  consumer.to_release.advance(tiling().stages);
}

}  // namespace tilecast
