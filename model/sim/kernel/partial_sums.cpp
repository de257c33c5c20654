#include "model/sim/kernel/partial_sums.h"

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

/// As take_over and sum_share of kernels/device/reduction.cuh do it: groups of four sums, as many
/// at a time as registers allow; a share from some of the partials at a time.
i32 turns_of_reading(const KernelConfig& config, i32 splits) {
  constexpr i32 kRoomyFrom = 240;  // registers at launch
  constexpr i32 kBeside = 72;      // accumulators and loads
  const RegisterPlan registers = register_plan(warpgroups_per_tile(config.tiling),
                                               config.ctas_per_sm, config.producer_registers);
  const i32 fours = accumulator_registers(config.tiling) / 4;
  if (config.decomposition.reduction == Reduction::kSpread) {
    const bool roomy = registers.at_launch >= kRoomyFrom;
    return ceil_div(fours, splits * (roomy ? 4 : 1)) * ceil_div(splits, roomy ? 4 : 8);
  }
  const i32 spare = registers.consumer - accumulator_registers(config.tiling) - kBeside;
  return ceil_div(fours, std::clamp(spare / 4, 2, 16));
}

}  // namespace

PartialSums::PartialSums(Engine& engine, const GpuSpec& gpu, const ReductionSpec& r,
                         const KernelConfig& config, const WorkDecomposition& work, Hertz sm_clock)
    : parts_(warpgroups_per_tile(config.tiling)),
      ranks_(cluster_size(config.tiling)),
      chunk_bytes_(i64{4} * warpgroup_rows(config.tiling) * warpgroup_columns(config.tiling) /
                   kChunks),
      hop_(sim_time(r.hop)),
      out_(static_cast<std::size_t>(gpu.sm.count)) {
  const Bytes chunk{static_cast<double>(chunk_bytes_)};
  const auto time = [&](BytesPerCycle sm, BytesPerSecond chip) {
    return Time{sim_time(transfer_cycles(chunk, sm), sm_clock),
                sim_time(transfer_time(chunk, chip))};
  };
  store_ = time(r.sm_store, r.chip_store);
  add_ = time(r.sm_add, r.chip_add);
  turns_ = turns_of_reading(config, static_cast<i32>(std::max(1u, work.splits)));
  const Bytes turn = chunk * (static_cast<double>(kChunks) / turns_);
  turn_output_ = sim_time(transfer_time(turn, gpu.machine->l2_output));
  turn_intake_ = sim_time(transfer_cycles(turn, gpu.machine->intake), sm_clock);
  sm_store_ps_ = 1e12 / (r.sm_store.value * sm_clock.value);
  chip_store_ps_ = 1e12 / r.chip_store.value;

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

SimTime PartialSums::write(SimTime now, i32 sm, SumWrite how) {
  written_ += chunk_bytes_;
  const Time& time = how == SumWrite::kAdd ? add_ : store_;
  return std::max(out_[static_cast<std::size_t>(sm)].serve(now, time.sm),
                  chip_.serve(now, time.chip));
}

SimTime PartialSums::read_turn(SimTime now, i32 turn, const SmPlace& place, Server& intake,
                               MemorySystem& memory) {
  const i64 all = chunk_bytes_ * kChunks;
  const i64 bytes = all * (turn + 1) / turns_ - all * turn / turns_;
  read_ += bytes;
  return std::max(intake.serve(now, turn_intake_),
                  memory.load_sum(now, place, bytes, turn_output_)) +
         hop_;
}

SimTime PartialSums::store_c(SimTime now, i32 sm, i64 bytes) {
  const auto time = [bytes](double ps) -> SimTime {
    return {std::llround(static_cast<double>(bytes) * ps)};
  };
  return std::max(out_[static_cast<std::size_t>(sm)].serve(now, time(sm_store_ps_)),
                  chip_.serve(now, time(chip_store_ps_)));
}

}  // namespace tilecast
