#include "model/sim/memory_system.h"

#include <algorithm>
#include <cmath>

#include "model/base/math.h"

namespace tilecast {
namespace {

constexpr i64 kSector = 32;

// L2 holds what DRAM brings in about nine microseconds: uses nearer to each other than this do not
// change the order in which blocks go.
constexpr u32 kTouchAgain = 500;

u32 tick(SimTime time) { return static_cast<u32>(time.ps >> 10); }

u32 home_partition(u32 block) { return (block * 2654435761u) >> 31; }

SharedOutput output_of(const GpuSpec& gpu) {
  const i32 groups = gpu.machine->gpcs * gpu.machine->gpc_groups;
  if (groups == 0) {
    return {1, 1};
  }
  const i32 most_pairs = ceil_div(ceil_div(gpu.sm.count, 2), groups);
  return {static_cast<u32>(groups), static_cast<u32>(most_pairs)};
}

}  // namespace

MemorySystem::MemorySystem(const GpuSpec& gpu, std::size_t blocks, Hertz sm_clock,
                           Activity* activity, double left_written)
    : cache_(blocks, static_cast<i64>(gpu.l2->capacity.value * gpu.l2->usable_fraction)),
      held_(blocks),
      l2_output_(output_of(gpu)),
      left_(static_cast<i64>(gpu.l2->capacity.value * gpu.l2->usable_fraction)),
      left_written_(left_written),
      outside_(static_cast<std::size_t>(gpu.machine->gpcs)),
      outside_receiver_(gpu.machine->outside_receiver),
      l2_latency_(sim_time(gpu.machine->l2_latency, sm_clock)),
      merge_window_(sim_time(gpu.machine->merge_window, sm_clock)),
      load_spread_(sim_time(gpu.machine->load_spread, sm_clock)),
      dram_latency_(sim_time(gpu.machine->dram_latency)),
      write_ps_per_byte_(1e12 / gpu.machine->dram_write.value),
      input_ps_per_byte_(gpu.reduction ? 1e12 / gpu.reduction->chip_store.value : 0),
      activity_(activity) {}

SimTime MemorySystem::load(SimTime now, SimTime asked, u32 block, Fetch fetch,
                           const BlockCost& cost, SmPlace place, bool multicast) {
  traffic_.l2_to_sm += cost.bytes;
  return answer(now, asked, block, fetch, cost, place, multicast) + lateness(block, place);
}

/// SMs of a pair wait as long for the same block. In eighths, so that more of what happens happens
/// at one time, which is faster to simulate by a quarter.
SimTime MemorySystem::lateness(u32 block, SmPlace place) const {
  u64 hash = u64{block} * 0x9E3779B97F4A7C15u;
  hash ^= (u64{place.group} * 16 + place.pair + 1) * 0xC2B2AE3D27D4EB4Fu;
  hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u;
  const i64 share = static_cast<i64>((hash >> 32) & 0xE000);
  return {(load_spread_.ps * share) >> 16};
}

SimTime MemorySystem::answer(SimTime now, SimTime asked, u32 block, Fetch fetch,
                             const BlockCost& cost, SmPlace place, bool multicast) {
  const u32 gpc = place.gpc;
  Held& held = held_[block];
  if (!multicast && tick(now) < held.merged_until[gpc]) {
    SimTime served = asked;
    if (cost.unmerged.ps > 0) {
      traffic_.l2_output += cost.unmerged_sectors * kSector;
      if (activity_ != nullptr) {
        activity_->add(Resource::kL2Output, now, cost.unmerged_sectors * kSector);
      }
      served = std::max(served, l2_output_.serve(now, place, cost.unmerged));
    }
    return std::max(held.in_l2, served) + l2_latency_;
  }
  traffic_.l2_output += cost.sectors * kSector;
  if (activity_ != nullptr) {
    activity_->add(Resource::kL2Output, now, cost.sectors * kSector);
  }
  SimTime there = std::max(l2_output_.serve(now, place, cost.l2), asked);
  if (cache_.holds(block)) {
    if (tick(now) - held.touched >= kTouchAgain) {
      held.touched = tick(now);
      cache_.touch(block);
    }
  } else {
    i64 read = 0;
    for (u32 b = fetch.first; b < fetch.first + fetch.count; ++b) {
      if (!cache_.holds(b)) {
        insert(now, b, cost.bytes, false);
        held_[b].partitions = u32{1} << home_partition(fetch.first);
        read += 1;
      }
    }
    traffic_.dram_read += read * cost.bytes;
    if (activity_ != nullptr) {
      activity_->add(Resource::kDramRead, now, read * cost.bytes);
    }
    const SimTime in_l2 = std::max(dram_.serve(now, cost.dram * read), asked) + dram_latency_;
    for (u32 b = fetch.first; b < fetch.first + fetch.count; ++b) {
      held_[b].in_l2 = in_l2;
    }
  }
  const u32 partition = u32{1} << (gpc & 1);
  traffic_.far += (held.partitions & partition) == 0 ? cost.sectors * kSector : 0;
  held.partitions |= partition;
  there = std::max(there, held.in_l2) + l2_latency_;
  if (!multicast) {
    held.merged_until[gpc] = tick(now + merge_window_);
  }
  return there;
}

SimTime MemorySystem::load_outside(SimTime now, const BlockCost& cost, u32 gpc, i32 receivers) {
  const double times = 1 + outside_receiver_ * (receivers - 1);
  const SimTime takes{std::llround(static_cast<double>(cost.outside.ps) * times)};
  return outside_[gpc].serve(now, takes) + l2_latency_;
}

SimTime MemorySystem::take_in(SimTime now, SmPlace place, i64 bytes) {
  return l2_output_.serve(now, place,
                          {std::llround(static_cast<double>(bytes) * input_ps_per_byte_)});
}

SimTime MemorySystem::load_sum(SimTime now, SmPlace place, i64 bytes, SimTime served) {
  traffic_.l2_to_sm += bytes;
  traffic_.l2_output += bytes;
  if (activity_ != nullptr) {
    activity_->add(Resource::kL2Output, now, bytes);
  }
  return l2_output_.serve(now, place, served);
}

void MemorySystem::store(SimTime now, u32 block, i64 bytes) {
  if (bytes > 0 && !cache_.holds(block)) {
    insert(now, block, bytes, true);
  }
}

void MemorySystem::insert(SimTime now, u32 block, i64 bytes, bool written) {
  // In whole bytes, none of which is lost between blocks.
  const auto written_of = [this](i64 left) {
    return std::llround(static_cast<double>(left) * left_written_);
  };
  const i64 still_left = std::max<i64>(0, left_ - bytes);
  const i64 written_back =
      cache_.insert(block, bytes, written) + written_of(left_) - written_of(still_left);
  left_ = still_left;
  if (written_back > 0) {
    traffic_.dram_write += written_back;
    dram_.serve(now, {std::llround(static_cast<double>(written_back) * write_ps_per_byte_)});
    if (activity_ != nullptr) {
      activity_->add(Resource::kDramWrite, now, written_back);
    }
  }
}

}  // namespace tilecast
