// What splitting K costs beside the K blocks themselves: the busiest worker's share of pieces, and
// the time in which partial sums become C.
//
// At the end of a piece that does not own its tile a worker writes its partial sum; the owner reads
// what the others left. Where the pieces of a tile lie one after the other in time, as in stream-K
// with at least a tile for each worker, nobody waits. Where a tile's S pieces end together, as in
// split-K,
//   turnstile  the sum passes from hand to hand: a hop and an addition for each but the first;
//   atomic     all add at once, as fast as L2 adds; then two hops, and the owner reads;
//   spread     all write; then two hops, and each reads its share of all partials: as much as it
//              wrote, and stores it: two more.
// A hop is from one SM's store to another's seeing it, in nanoseconds; what many write has to
// arrive before it is announced, which takes another.
// Leaves out: additions that delay the loads of other workers; the room of partial sums in L2.
// Checked by: shared_tiles_test.cpp, committed rows of the three schedules (validate).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/order/work_decomposition.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Pieces of shared tiles, all workers, and how many of them do not own their tile.
struct SharedPieces {
  double pieces, handed_on;
};

SharedPieces shared_pieces(const WorkDecomposition& work);

/// Of the busiest worker; counts are averages where workers differ.
struct WorkerShare {
  double k_blocks;         // longest of any worker
  double pieces;           // most of any worker
  double handed_on;        // pieces whose partial sum is left to another worker
  double taken_over;       // pieces that end a shared tile
  double ending_together;  // pieces of one tile that end at the same time; 1: none
};

/// K blocks by which one worker of a row of K blocks is ahead of the next, or behind, in K.
double skew_of_neighbours(const WorkDecomposition& work);

/// `shared`: of the same work.
WorkerShare busiest_share(const WorkDecomposition& work, const SharedPieces& shared);

/// Bytes of partial sums written and read, all workers.
Bytes partial_sum_bytes(const KernelConfig& config, const SharedPieces& shared);

/// Of the busiest worker, beside its epilogues.
Cycles reduction_time(const GpuSpec& gpu, const KernelConfig& config, Hertz sm_clock,
                      const WorkerShare& share, double workers);

}  // namespace tilecast
