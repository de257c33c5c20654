// Partial sums that CTAs leave to each other in L2, of tiles that several workers share: who waits
// for whom, and what moving a sum takes.
//
// A sum is written in chunks, each at an SM's rate and at that of all SMs together, so that those
// who write at the same time share the chip. What was written is seen by others a hop later. It is
// read in as many turns as a thread's registers make of it: each takes a hop, which is what the
// words of another SM take to come, and L2's output and the SM's intake for its bytes.
// Each part of a shared tile has a lock, with a phase for as many arrivals as the plan says.
//
// Leaves out: the room that sums take in L2, words that two pieces add to at the same instant, the
// polling of those that wait.
// Checked by: partial_sums_test.cpp, split_k_test.cpp.
#pragma once

#include <vector>

#include "model/sim/chip/memory_system.h"
#include "model/sim/engine/phase_barrier.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

enum class SumWrite { kStore, kAdd };

/// The tiles that are shared, and the sum of a warpgroup's part of one.
struct SumPlan {
  i32 parts, ranks;  // of a CTA's tile; CTAs of a cluster
  i64 part_bytes;
  i32 turns;                             // in which a part, or its share of all, is read
  std::vector<std::vector<i32>> pieces;  // of each tile, where they begin, in order
  bool in_order;                         // a lock's phase for each piece; else one for all of them
  bool owner_arrives;                    // the piece that ends a tile is one of those
};

class PartialSums {
 public:
  static constexpr i32 kChunks = 8;  // of a warpgroup's sum

  PartialSums(Engine& engine, const GpuSpec& gpu, const ReductionSpec& reduction, SumPlan plan,
              Hertz sm_clock);

  /// Of one warpgroup's part of a tile that is cut, in the CTA `rank` of its cluster.
  PhaseBarrier& lock(u32 tile, i32 rank, i32 warpgroup);
  /// Pieces of a tile before the one that begins there.
  u32 before(u32 tile, i32 begin) const;

  /// When a chunk that the SM begins to write now is written.
  SimTime write(SimTime now, i32 sm, SumWrite how);
  /// When the loads of turn `turn` that begin now are there; place and `intake`: of the SM.
  SimTime read_turn(SimTime now, i32 turn, const SmPlace& place, Server& intake,
                    MemorySystem& memory);
  /// Turns in which a warpgroup reads its part's sum or, of `spread`, its share of all of them.
  i32 turns() const { return plan_.turns; }
  /// When a piece's share of the results, stored by plain instructions from now on, is written.
  SimTime store_results(SimTime now, i32 sm, i64 bytes);

  /// Of one warpgroup's part of a tile.
  i64 part_bytes() const { return chunk_bytes_ * kChunks; }

  SimTime hop() const { return hop_; }
  /// Half a hop: until a store has arrived, and until a look at a lock has its answer.
  SimTime way() const { return {hop_.ps / 2}; }
  i64 written() const { return written_; }  // bytes, stored or added
  i64 read() const { return read_; }        // bytes

 private:
  struct Time {
    SimTime sm, chip;  // of a chunk
  };
  SumPlan plan_;
  i64 chunk_bytes_;
  Time store_, add_;
  SimTime turn_output_, turn_intake_;
  double sm_store_ps_, chip_store_ps_;  // a byte
  SimTime hop_;
  std::vector<PhaseBarrier> locks_;      // of tiles in pieces
  std::vector<std::size_t> first_lock_;  // of each tile
  std::vector<Server> out_;              // of each SM
  Server chip_;
  i64 written_ = 0, read_ = 0;
};

}  // namespace tilecast
