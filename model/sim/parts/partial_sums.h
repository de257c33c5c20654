// Models the exchange of partial sums through L2 for tiles that several workers share: which worker
// waits for which, and the time of each transfer.
//
// A sum is written in chunks. Each takes time at the SM's rate and at the rate of all SMs together,
// so simultaneous writers share the chip's rate. Others see the data one hop later. A sum is read
// in as many steps as the thread's registers require: each step takes a hop, the latency of data
// from another SM, plus L2 output and SM fill for its bytes. Each part of a shared tile has a lock;
// the plan determines how many arrivals complete a phase.
//
// Not modelled: the L2 capacity that sums occupy, simultaneous atomic additions to one word,
// polling traffic. Checked by: partial_sums_test.cpp, split_k_test.cpp.
#pragma once

#include <vector>

#include "model/sim/chip/memory_system.h"
#include "model/sim/engine/phase_barrier.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

enum class SumWrite { kStore, kAdd };

/// The shared tiles, and the size of a warpgroup's partial sum.
struct SumPlan {
  i32 parts, ranks;  // parts of a CTA tile; CTAs of a cluster
  i64 part_bytes;
  i32 turns;  // number of steps in which a part's sum, or its share of all sums, is read
  std::vector<std::vector<i32>> pieces;  // first K block of each piece, in order, for each tile
  // one lock phase per piece; otherwise one phase for all pieces
  bool in_order;
  bool owner_arrives;  // the piece that finishes a tile also arrives
};

class PartialSums {
 public:
  static constexpr i32 kChunks = 8;  // chunks per warpgroup's sum

  PartialSums(Engine& engine, const GpuSpec& gpu, const ReductionSpec& reduction, SumPlan plan,
              Hertz sm_clock);

  /// Lock of a warpgroup's part of a shared tile, in CTA `rank` of its cluster.
  PhaseBarrier& lock(u32 tile, i32 rank, i32 warpgroup);
  /// Number of pieces of a tile before the piece that begins there.
  u32 before(u32 tile, i32 begin) const;

  /// Returns the time at which a chunk that the SM starts to write now has been written.
  SimTime write(SimTime now, i32 sm, SumWrite how);
  /// Returns the time at which the loads of step `turn` arrive if issued now; `place` and `intake`
  /// belong to the SM.
  SimTime read_turn(SimTime now, i32 turn, const SmPlace& place, Server& intake,
                    MemorySystem& memory);
  /// Number of steps in which a warpgroup reads its part's sum or, with distributed reduction, its
  /// share of all sums.
  i32 turns() const { return plan_.turns; }
  /// Returns the time at which a piece's share of the results, stored by plain instructions from
  /// now on, has been written.
  SimTime store_results(SimTime now, i32 sm, i64 bytes);

  /// Size of one warpgroup's part of a tile.
  i64 part_bytes() const { return chunk_bytes_ * kChunks; }

  SimTime hop() const { return hop_; }
  /// Half a hop: the latency of a store, or of polling a lock.
  SimTime way() const { return {hop_.ps / 2}; }
  i64 written() const { return written_; }  // bytes stored or added
  i64 read() const { return read_; }        // bytes read

 private:
  struct Time {
    SimTime sm, chip;  // time of a chunk at each rate
  };
  SumPlan plan_;
  i64 chunk_bytes_;
  Time store_, add_;
  SimTime turn_output_, turn_intake_;
  double sm_store_ps_, chip_store_ps_;  // service time per byte
  SimTime hop_;
  std::vector<PhaseBarrier> locks_;      // locks of shared tiles
  std::vector<std::size_t> first_lock_;  // index of each tile's first lock
  std::vector<Server> out_;              // write path of each SM
  Server chip_;
  i64 written_ = 0, read_ = 0;
};

}  // namespace tilecast
