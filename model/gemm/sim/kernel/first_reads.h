// Counts first reads of A and B by skipped waves (steady_waves.h): reads of panels that no
// simulated tile uses. Their bytes come from DRAM; the mean wave does not represent them. Checked
// by: first_reads_test.cpp; tests/random.
#pragma once

#include "model/base/math.h"
#include "model/gemm/sim/kernel/gemm_kernel.h"

namespace tilecast {

/// Calls `visit(first, end)` for each range of simulated tiles, in scheduler order.
template <class Visit>
void each_simulated_range(SkippedWaves skipped, const WholeWaves& waves, const TileScheduler& s,
                          const Visit& visit) {
  if (waves.chunked) {
    for (u32 worker = 0; worker < s.workers; ++worker) {
      const u32 first = s.first(worker), end = s.end(worker);
      const u32 from = min_of(first + skipped.after, end);
      visit(first, from);
      visit(min_of(from + skipped.count, end), end);
    }
  } else {
    const u32 from = waves.begin + skipped.after * waves.tiles;
    visit(0, from);
    visit(from + skipped.count * waves.tiles, s.num_tiles());
  }
}

/// Bytes of the panels that only skipped waves read.
i64 first_reads_left_out(const GemmKernel& kernel);

}  // namespace tilecast
