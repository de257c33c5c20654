#include "model/gemm/form/shared_tiles.h"

#include <algorithm>

#include "model/gemm/costs/tensor_operation.h"

namespace tilecast {
namespace {

Bytes partial_of_cluster(const Tiling& t) {
  return {1.0 * kAccumulatorBytes * t.block_m * t.block_n * cluster_size(t)};
}

}  // namespace

SharedPieces shared_pieces(const WorkDecomposition& work) {
  if (work.splits > 0) {
    const double tiles = work.splits > 1 ? work.streamed : 0;
    return {tiles * work.splits, tiles * (work.splits - 1)};
  }
  double inside = 0, tiles_cut = 0;  // cuts inside a tile; tiles with at least one
  u32 last = ~0u, before = 0;
  for (u32 unit = 1; unit < work.units; ++unit) {
    const u32 at = work.cut(unit);
    const u32 tile = work.by_k_blocks.quotient(at);
    if (at != tile * static_cast<u32>(work.k_blocks) && at != before) {
      inside += 1;
      tiles_cut += tile != last ? 1 : 0;
      last = tile;
    }
    before = at;
  }
  return {inside + tiles_cut, inside};
}

double skew_of_neighbours(const WorkDecomposition& work) {
  const u32 past_a_tile = work.by_k_blocks.remainder(work.run);
  return min_of(past_a_tile, static_cast<u32>(work.k_blocks) - past_a_tile);
}

WorkerShare busiest_share(const WorkDecomposition& work, const SharedPieces& shared) {
  WorkerShare share{};
  share.handed_on = shared.handed_on / work.workers;
  share.taken_over = (shared.pieces - shared.handed_on) / work.workers;
  const double k_blocks = work.k_blocks;
  const double whole = ceil_div(work.tiles - work.streamed, work.workers);
  if (work.splits > 0) {
    const double parts = ceil_div(work.streamed * work.splits, work.workers);
    const double part = ceil_div(static_cast<u32>(work.k_blocks), work.splits);
    share.pieces = parts + whole;
    share.k_blocks = parts * part + whole * k_blocks;
    share.ending_together = parts > 1 ? 1 : work.splits;
    return share;
  }
  u32 longest = 0, before = 0;
  for (u32 unit = 1; unit <= work.units; ++unit) {
    const u32 at = work.cut(unit);
    longest = std::max(longest, at - before);
    before = at;
  }
  share.k_blocks = longest + whole * k_blocks;
  share.pieces = whole + (work.units == 0 ? 0 : 1 + longest / k_blocks);
  // If there are fewer tiles than units, most pieces of a tile are their worker's only piece,
  // except those at the tile's ends.
  share.ending_together =
      work.units > work.streamed && whole == 0
          ? std::max(1.0, static_cast<double>(work.units) / std::max(1u, work.streamed))
          : 1;
  return share;
}

Bytes partial_sum_bytes(const KernelConfig& config, const SharedPieces& shared) {
  const Bytes partial = partial_of_cluster(config.tiling);
  return config.decomposition.reduction == Reduction::kSpread ? partial * (2 * shared.pieces)
                                                              : partial * (2 * shared.handed_on);
}

Cycles reduction_time(const GpuSpec& gpu, const KernelConfig& config, Hertz sm_clock,
                      const WorkerShare& share, double workers) {
  if (share.taken_over == 0) {
    return {};
  }
  const Tiling& t = config.tiling;
  const ReductionSpec& r = *gpu.reduction;
  const Bytes partial{1.0 * kAccumulatorBytes * t.block_m * t.block_n};
  const Cycles hop = cycles_of(r.hop, sm_clock);
  // The rate of one SM's port or, if all SMs move their partial sums at the same time, its share of
  // L2's rate.
  const bool together = share.ending_together > 1;
  const auto moved = [&](BytesPerCycle sm, BytesPerSecond chip) {
    const Bytes all = partial * (workers * cluster_size(t));
    const Cycles by_chip = cycles_of(transfer_time(all, chip), sm_clock);
    const Cycles by_sm = transfer_cycles(partial, sm);
    return together ? std::max(by_sm, by_chip) : by_sm;
  };
  const Cycles stored = moved(r.sm_store, r.chip_store);
  const Cycles added = moved(r.sm_add, r.chip_add);
  const Cycles loaded = transfer_cycles(partial, r.sm_load);
  switch (config.decomposition.reduction) {
    case Reduction::kSpread:
      return stored + hop * 4 + moved(r.sm_load, gpu.machine->l2_output);
    case Reduction::kAtomic:
      return together ? added + hop * 2 + loaded
                      : added * std::min(1.0, share.handed_on) +
                            (hop + loaded) * std::min(1.0, share.taken_over);
    case Reduction::kTurnstile:
      return together
                 ? stored + hop +
                       (hop + transfer_cycles(partial, r.sm_add)) * (share.ending_together - 2) +
                       loaded
                 : stored * std::min(1.0, share.handed_on) +
                       (hop + loaded) * std::min(1.0, share.taken_over);
  }
  return {};
}

}  // namespace tilecast
