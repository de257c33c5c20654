#include "model/analytic/shared_tiles.h"

#include <algorithm>

namespace tilecast {
namespace {

Bytes partial_of_cluster(const Tiling& t) {
  return {4.0 * t.block_m * t.block_n * cluster_size(t)};
}

/// Pieces of shared tiles, all workers, and how many of them do not own their tile.
struct SharedPieces {
  double pieces, handed_on;
};

SharedPieces shared_pieces(const WorkDecomposition& work) {
  if (work.splits > 0) {
    const double tiles = work.splits > 1 ? work.streamed : 0;
    return {tiles * work.splits, tiles * (work.splits - 1)};
  }
  double inside = 0, tiles_cut = 0;  // cuts within a tile; tiles with one at least
  u32 last = ~0u;
  for (u32 unit = 1; unit < work.units; ++unit) {
    const u32 at = work.cut(unit);
    const u32 tile = work.by_k_blocks.quotient(at);
    if (at != tile * static_cast<u32>(work.k_blocks) && at != work.cut(unit - 1)) {
      inside += 1;
      tiles_cut += tile != last ? 1 : 0;
      last = tile;
    }
  }
  return {inside + tiles_cut, inside};
}

}  // namespace

WorkerShare busiest_share(const WorkDecomposition& work) {
  const SharedPieces shared = shared_pieces(work);
  WorkerShare share{};
  share.handed_on = shared.handed_on / work.workers;
  share.taken_over = (shared.pieces - shared.handed_on) / work.workers;
  const double k_blocks = work.k_blocks;
  if (work.splits > 0) {
    const double parts = ceil_div(work.streamed * work.splits, work.workers);
    const double whole = ceil_div(work.tiles - work.streamed, work.workers);
    const double part = ceil_div(static_cast<u32>(work.k_blocks), work.splits);
    share.pieces = parts + whole;
    share.k_blocks = parts * part + whole * k_blocks;
    share.ending_together = parts > 1 ? 1 : work.splits;
    return share;
  }
  u32 longest = 0;
  for (u32 unit = 0; unit < work.units; ++unit) {
    longest = std::max(longest, work.cut(unit + 1) - work.cut(unit));
  }
  const double whole = ceil_div(work.tiles - work.streamed, work.workers);
  share.k_blocks = longest + whole * k_blocks;
  share.pieces = whole + (work.units == 0 ? 0 : 1 + longest / k_blocks);
  // With fewer tiles than units a tile's pieces are all somebody's only one, but for those at its
  // ends.
  share.ending_together =
      work.units > work.streamed && whole == 0
          ? std::max(1.0, static_cast<double>(work.units) / std::max(1u, work.streamed))
          : 1;
  return share;
}

Bytes partial_sum_bytes(const KernelConfig& config, const WorkDecomposition& work) {
  const SharedPieces shared = shared_pieces(work);
  const Bytes partial = partial_of_cluster(config.tiling);
  return config.decomposition.reduction == Reduction::kSpread ? partial * (2 * shared.pieces)
                                                              : partial * (2 * shared.handed_on);
}

Cycles reduction_time(const GpuSpec& gpu, const KernelConfig& config, const WorkerShare& share,
                      double workers, Hertz sm_clock) {
  const Tiling& t = config.tiling;
  const Bytes partial{4.0 * t.block_m * t.block_n};
  const double ctas = workers * cluster_size(t);
  const Cycles hop = cycles_of(gpu.reduction->hop, sm_clock);
  // One SM's port, and all of them together at L2.
  const auto moved = [&](BytesPerSecond chip) {
    return std::max(transfer_cycles(partial, gpu.reduction->sm_rate),
                    cycles_of(transfer_time(partial * ctas, chip), sm_clock));
  };
  const Cycles stored = moved(gpu.l2->output);
  const Cycles added = moved(gpu.reduction->add_rate);
  const double together = share.ending_together;
  if (config.decomposition.reduction == Reduction::kSpread) {
    return (stored + stored + hop + hop) * (together > 1 ? 1.0 : 0.0);
  }
  if (together > 1) {
    if (config.decomposition.reduction == Reduction::kAtomic) {
      return added + hop + stored + stored;
    }
    const Cycles one_adds = transfer_cycles(partial, gpu.reduction->sm_rate);
    return stored + (hop + one_adds) * (together - 1) + stored;
  }
  const Cycles hand_on = config.decomposition.reduction == Reduction::kAtomic ? added : stored;
  const Cycles take_over =
      hop + stored * (config.decomposition.reduction == Reduction::kAtomic ? 2.0 : 1.0);
  return hand_on * std::min(1.0, share.handed_on) + take_over * std::min(1.0, share.taken_over);
}

}  // namespace tilecast
