#include "model/sim/parts/partial_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilecast {

PartialSums::PartialSums(Engine& engine, const GpuSpec& gpu, const ReductionSpec& r, SumPlan plan,
                         Hertz sm_clock)
    : plan_(std::move(plan)),
      chunk_bytes_(plan_.part_bytes / kChunks),
      hop_(sim_time(r.hop)),
      out_(static_cast<std::size_t>(gpu.sm.count)) {
  const Bytes chunk{static_cast<double>(chunk_bytes_)};
  const auto time = [&](BytesPerCycle sm, BytesPerSecond chip) {
    return Time{sim_time(transfer_cycles(chunk, sm), sm_clock),
                sim_time(transfer_time(chunk, chip))};
  };
  store_ = time(r.sm_store, r.chip_store);
  add_ = time(r.sm_add, r.chip_add);
  const Bytes turn = chunk * (static_cast<double>(kChunks) / plan_.turns);
  turn_output_ = sim_time(transfer_time(turn, gpu.machine->l2_output));
  turn_intake_ = sim_time(transfer_cycles(turn, gpu.machine->intake), sm_clock);
  sm_store_ps_ = si::kTera / (r.sm_store.value * sm_clock.value);
  chip_store_ps_ = si::kTera / r.chip_store.value;

  for (std::size_t tile = 0; tile < plan_.pieces.size(); ++tile) {
    const i32 pieces = static_cast<i32>(plan_.pieces[tile].size());
    const i32 arrivals = plan_.in_order ? 1 : pieces - (plan_.owner_arrives ? 0 : 1);
    first_lock_.push_back(locks_.size());
    for (i32 part = 0; pieces > 1 && part < plan_.ranks * plan_.parts; ++part) {
      locks_.emplace_back(engine, arrivals, "sum of tile", static_cast<i32>(tile));
    }
  }
}

PhaseBarrier& PartialSums::lock(u32 tile, i32 rank, i32 warpgroup) {
  return locks_[first_lock_[tile] + static_cast<std::size_t>(rank * plan_.parts + warpgroup)];
}

u32 PartialSums::before(u32 tile, i32 begin) const {
  const std::vector<i32>& pieces = plan_.pieces[tile];
  return static_cast<u32>(std::ranges::lower_bound(pieces, begin) - pieces.begin());
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
  const i64 bytes = all * (turn + 1) / plan_.turns - all * turn / plan_.turns;
  read_ += bytes;
  return std::max(intake.serve(now, turn_intake_),
                  memory.load_sum(now, place, bytes, turn_output_)) +
         hop_;
}

SimTime PartialSums::store_results(SimTime now, i32 sm, i64 bytes) {
  const auto time = [bytes](double ps) -> SimTime {
    return {std::llround(static_cast<double>(bytes) * ps)};
  };
  return std::max(out_[static_cast<std::size_t>(sm)].serve(now, time(sm_store_ps_)),
                  chip_.serve(now, time(chip_store_ps_)));
}

}  // namespace tilecast
