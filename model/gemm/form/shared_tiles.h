// Computes the cost of splitting K beyond the K blocks themselves: the busiest worker's share of
// pieces, and the time to reduce partial sums to C.
//
// At the end of a piece that does not own its tile, a worker writes its partial sum; the owner
// reads the others' partial sums. If the pieces of a tile run one after another, as in stream-K
// with at least a tile per worker, no worker waits. If a tile's S pieces end together, as in
// split-K,
//   turnstile  (serial) the sum is passed on: each piece but the first adds a hop and an addition;
//   atomic     all add at once, at L2's rate; then two hops, and the owner reads;
//   spread     (distributed) all write; then two hops; each reads its share of all partials, as
//              much as it wrote, and stores it: two more hops.
// A hop is the time until another SM sees a store, in nanoseconds; stores of many threads must
// arrive before a flag announces them, and the flag takes a second hop.
// Not modelled: additions that delay the loads of other workers; the L2 capacity that partial sums
// occupy. Checked by: shared_tiles_test.cpp, committed measurements of the three schedules
// (validate).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/order/work_decomposition.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Number of pieces of shared tiles over all workers, and of those that do not own their tile.
struct SharedPieces {
  double pieces, handed_on;
};

SharedPieces shared_pieces(const WorkDecomposition& work);

/// Work of the busiest worker; counts are averages if workers differ.
struct WorkerShare {
  double k_blocks;         // maximum over workers
  double pieces;           // maximum over workers
  double handed_on;        // pieces whose partial sum is passed to another worker
  double taken_over;       // pieces that finish a shared tile
  double ending_together;  // pieces of one tile that end at the same time; at least 1
};

/// Signed distance along K between neighbouring workers in a stream of K blocks.
double skew_of_neighbours(const WorkDecomposition& work);

/// `shared` must describe the same decomposition.
WorkerShare busiest_share(const WorkDecomposition& work, const SharedPieces& shared);

/// Bytes of partial sums written and read, over all workers.
Bytes partial_sum_bytes(const KernelConfig& config, const SharedPieces& shared);

/// Reduction time of the busiest worker, without epilogues.
Cycles reduction_time(const GpuSpec& gpu, const KernelConfig& config, Hertz sm_clock,
                      const WorkerShare& share, double workers);

}  // namespace tilecast
