#include "model/sim/partial_sums.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/tile/register_plan.h"

namespace tilecast {
namespace {

constexpr u32 kWhole = ~u32{0};

std::vector<std::vector<i32>> begins_of_pieces(const WorkDecomposition& work) {
  std::vector<std::vector<i32>> begins(work.streamed);
  for (u32 worker = 0; worker < work.workers; ++worker) {
    for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
      if (p.tile < work.streamed) {
        begins[p.tile].push_back(p.k_begin);
      }
    }
  }
  for (std::vector<i32>& of_tile : begins) {
    std::sort(of_tile.begin(), of_tile.end());
  }
  return begins;
}

/// Arrivals by which a phase of a part's lock is complete.
i32 arrivals(Reduction reduction, std::size_t pieces) {
  switch (reduction) {
    case Reduction::kTurnstile:
      return 1;
    case Reduction::kAtomic:
      return static_cast<i32>(pieces) - 1;
    case Reduction::kSpread:
      return static_cast<i32>(pieces);
  }
  return 1;
}

/// Turns in which a thread loads its share of a tile's partials, as sum_share of
/// kernels/device/reduction.cuh does: groups of four sums, from some of the partials at a time.
i32 turns_of_share(const KernelConfig& config, i32 splits) {
  constexpr i32 kRoomyFrom = 240;  // registers at launch
  const i32 warpgroups = warpgroups_per_tile(config.tiling);
  const bool roomy =
      register_plan(warpgroups, config.ctas_per_sm, config.producer_registers).at_launch >=
      kRoomyFrom;
  const i32 fours = accumulator_registers(config.tiling) / 4;
  return ceil_div(fours, splits * (roomy ? 4 : 1)) * ceil_div(splits, roomy ? 4 : 8);
}

}  // namespace

PartialSums::PartialSums(Engine& engine, const GpuSpec& gpu, const KernelConfig& config,
                         const WorkDecomposition& work, Hertz sm_clock)
    : parts_(warpgroups_per_tile(config.tiling)),
      ranks_(cluster_size(config.tiling)),
      chunk_bytes_(i64{4} * warpgroup_rows(config.tiling) * warpgroup_columns(config.tiling) /
                   kChunks),
      hop_(sim_time(gpu.reduction->hop)),
      paths_(static_cast<std::size_t>(gpu.sm.count)) {
  const ReductionSpec& r = *gpu.reduction;
  const Bytes chunk{static_cast<double>(chunk_bytes_)};
  const auto time = [&](BytesPerCycle sm, BytesPerSecond chip) {
    return Time{sim_time(transfer_cycles(chunk, sm), sm_clock),
                sim_time(transfer_time(chunk, chip))};
  };
  store_ = time(r.sm_store, r.chip_store);
  add_ = time(r.sm_add, r.chip_add);
  load_ = time(r.sm_load, gpu.l2->output);
  sm_store_ps_ = 1e12 / (r.sm_store.value * sm_clock.value);
  chip_store_ps_ = 1e12 / r.chip_store.value;

  if (config.decomposition.reduction == Reduction::kSpread && work.splits > 0) {
    // A hop is a store's way to L2 and a load's way there and back: half of it for each.
    share_turns_ = {hop_.ps / 2 * turns_of_share(config, static_cast<i32>(work.splits))};
  }
  cut_.assign(work.streamed, kWhole);
  std::vector<std::vector<i32>> begins = begins_of_pieces(work);
  for (u32 tile = 0; tile < work.streamed; ++tile) {
    if (begins[tile].size() < 2) {
      continue;
    }
    cut_[tile] = static_cast<u32>(begins_.size());
    for (i32 part = 0; part < ranks_ * parts_; ++part) {
      locks_.emplace_back(engine, arrivals(config.decomposition.reduction, begins[tile].size()),
                          "sum of tile", static_cast<i32>(tile));
    }
    begins_.push_back(std::move(begins[tile]));
  }
}

PhaseBarrier& PartialSums::lock(u32 tile, i32 rank, i32 warpgroup) {
  return locks_[cut_[tile] * static_cast<u32>(ranks_ * parts_) +
                static_cast<u32>(rank * parts_ + warpgroup)];
}

u32 PartialSums::before(const WorkPiece& piece) const {
  const std::vector<i32>& begins = begins_[cut_[piece.tile]];
  return static_cast<u32>(std::lower_bound(begins.begin(), begins.end(), piece.k_begin) -
                          begins.begin());
}

SimTime PartialSums::move(SimTime now, i32 sm, SumMove move, MemorySystem& memory) {
  Path& path = paths_[static_cast<std::size_t>(sm)];
  if (move == SumMove::kLoad) {
    read_ += chunk_bytes_;
    return std::max(path.in.serve(now, load_.sm), memory.load_sum(now, chunk_bytes_, load_.chip));
  }
  written_ += chunk_bytes_;
  const Time& time = move == SumMove::kAdd ? add_ : store_;
  return std::max(path.out.serve(now, time.sm), chip_.serve(now, time.chip));
}

SimTime PartialSums::store_c(SimTime now, i32 sm, i64 bytes) {
  const auto time = [bytes](double ps) -> SimTime {
    return {std::llround(static_cast<double>(bytes) * ps)};
  };
  return std::max(paths_[static_cast<std::size_t>(sm)].out.serve(now, time(sm_store_ps_)),
                  chip_.serve(now, time(chip_store_ps_)));
}

}  // namespace tilecast
