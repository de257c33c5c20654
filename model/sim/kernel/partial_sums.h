// Partial sums that CTAs leave to each other in L2, of tiles that several workers share along K:
// who waits for whom, and what moving a sum takes.
//
// A sum is written in chunks, each at an SM's rate and at that of all SMs together, so that those
// who write at the same time share the chip. What was written is seen by others a hop later. It is
// read in as many turns as a thread's registers make of it: each takes a hop, which is what the
// words of another SM take to come, and L2's output and the SM's intake for its bytes.
//   lock of a part of a tile  one phase for each piece in the order of K (turnstile), or one when
//                             all others (atomic) or all (spread) are in
//
// Leaves out: the room that sums take in L2, words that two pieces add to at the same instant, the
// polling of those that wait.
// Checked by: partial_sums_test.cpp, split_k_test.cpp.
#pragma once

#include <vector>

#include "model/sim/engine/phase_barrier.h"
#include "model/sim/memory/memory_system.h"
#include "model/tile/work_decomposition.h"

namespace tilecast {

enum class SumWrite { kStore, kAdd };

class PartialSums {
 public:
  static constexpr i32 kChunks = 8;  // of a warpgroup's sum

  PartialSums(Engine& engine, const GpuSpec& gpu, const ReductionSpec& reduction,
              const KernelConfig& config, const WorkDecomposition& work, Hertz sm_clock);

  /// Of one warpgroup's part of a tile that is cut, in the CTA `rank` of its cluster.
  PhaseBarrier& lock(u32 tile, i32 rank, i32 warpgroup);
  /// Pieces of its tile with lower K.
  u32 before(const WorkPiece& piece) const;

  /// When a chunk that the SM begins to write now is written.
  SimTime write(SimTime now, i32 sm, SumWrite how);
  /// When the loads of turn `turn` that begin now are there; place and `intake`: of the SM.
  SimTime read_turn(SimTime now, i32 turn, const SmPlace& place, Server& intake,
                    MemorySystem& memory);
  /// Turns in which a warpgroup reads its part's sum or, of `spread`, its share of all of them.
  i32 turns() const { return turns_; }
  /// When C's share of a piece, stored by plain instructions from now on, is written.
  SimTime store_c(SimTime now, i32 sm, i64 bytes);

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
  i32 parts_, ranks_;
  i64 chunk_bytes_;
  i32 turns_;
  Time store_, add_;
  SimTime turn_output_, turn_intake_;
  double sm_store_ps_, chip_store_ps_;  // a byte
  SimTime hop_;
  std::vector<u32> cut_;                  // of each streamed tile: its place among those cut
  std::vector<std::vector<i32>> begins_;  // of a cut tile's pieces, in the order of K
  std::vector<PhaseBarrier> locks_;
  std::vector<Server> out_;  // of each SM
  Server chip_;
  i64 written_ = 0, read_ = 0;
};

}  // namespace tilecast
