#include "model/sim/chip/memory_system.h"

#include <algorithm>

#include "model/base/math.h"

namespace tilecast {
namespace {

// In this time, in ticks, DRAM replaces only a small part of L2, which holds about nine
// microseconds of DRAM traffic. A use of a block sooner after its last use does not change the
// eviction order.
constexpr u32 kTouchAgain = 500;

u32 tick(SimTime time) { return static_cast<u32>(time.ps >> 10); }
SimTime time_of_tick(u32 tick) { return {i64{tick} << 10}; }

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
      l2_latency_(sim_time(gpu.machine->l2_latency, sm_clock)),
      merge_window_(sim_time(gpu.machine->merge_window, sm_clock)),
      load_spread_(sim_time(gpu.machine->load_spread, sm_clock)),
      dram_latency_(sim_time(gpu.machine->dram_latency)),
      write_ps_per_byte_(si::kTera / gpu.dram->write_rate.value),
      input_ps_per_byte_(gpu.reduction ? si::kTera / gpu.reduction->chip_store.value : 0),
      activity_(activity) {}

void MemorySystem::record(RequestLog& log) {
  log_ = &log;
  logged_.resize(held_.size());
}

void MemorySystem::replay(const RequestLog& log) {
  replayed_ = &log;
  arrivals_.resize(log.reads());
  put_out_.resize(log.outputs());
}

// Inlined, since it is called twice per K block.

/// Both SMs of a pair get the same delay for a block. Delays are in eighths, so that more events
/// coincide, which makes simulation a quarter faster.
inline SimTime MemorySystem::lateness(SimTime now, u32 block, const SmPlace& place) const {
  const i64 busy = std::max(l2_use_.share(now), dram_use_.share(now));
  u64 hash = u64{block} * 0x9E3779B97F4A7C15u;
  hash ^= (u64{place.group} * 16 + place.pair + 1) * 0xC2B2AE3D27D4EB4Fu;
  hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u;
  const i64 share = static_cast<i64>((hash >> 32) & 0xE000);
  return {(load_spread_.ps * share * busy) >> 26};
}

/// A request waits for an earlier one for the same lines if L2 has yet to serve that. Merged
/// requests get the lines when the earlier request is served, less merge_window.
inline SimTime MemorySystem::merged_until(SimTime served) const {
  return time_of_tick(merge_window_.ps > 0 ? tick(served + merge_window_) : 0);
}

/// Time at which L2 has delivered a load's bytes; for a merged load, only the bytes that it does
/// not share.
inline SimTime MemorySystem::put_out(SimTime now, SimTime asked, const BlockCost& cost,
                                     const SmPlace& place, bool merged) {
  const SimTime takes = merged ? cost.unmerged : cost.l2;
  const i64 bytes = (merged ? cost.unmerged_sectors : cost.sectors) * kSectorBytes;
  if (bytes == 0) {
    return asked;
  }
  traffic_.l2_output += bytes;
  if (activity_ != nullptr) {
    activity_->add(Resource::kL2Output, now, bytes);
  }
  l2_use_.add(now, takes);
  return later(asked, l2_output_.serve(now, place, takes));
}

inline SimTime MemorySystem::answer(SimTime now, SimTime asked, LoadName name, u32 block,
                                    Fetch fetch, const BlockCost& cost, const SmPlace& place,
                                    bool multicast) {
  const u32 gpc = place.gpc;
  Held& held = held_[block];
  const bool merged = !multicast && tick(now) < held.merged_until[gpc];
  SimTime served = put_out(now, asked, cost, place, merged);
  if (merged) {
    served = later(served, time_of_tick(held.merged_until[gpc]) - merge_window_);
  } else {
    if (cache_.holds(block)) {
      if (tick(now) - held.touched >= kTouchAgain) {
        held.touched = tick(now);
        cache_.touch(block);
      }
    } else {
      fetch_blocks(now, asked, fetch, cost);
    }
    const u32 partition = u32{1} << (gpc & 1);
    traffic_.far +=
        static_cast<i64>((held.partitions & partition) == 0) * cost.sectors * kSectorBytes;
    held.partitions |= partition;
    if (!multicast) {
      held.merged_until[gpc] = tick(merged_until(served));
    }
  }
  if (log_ != nullptr) {
    Logged& logged = logged_[block];
    if (!merged) {
      logged.output[gpc] = log_->add_output();
    }
    log_->add_load(name, {logged.output[gpc], logged.read});
  }
  return later(served, held.in_l2) + l2_latency_;
}

SimTime MemorySystem::answer_again(SimTime now, SimTime asked, LoadName name, const BlockCost& cost,
                                   const SmPlace& place) {
  const auto [output, read] = replayed_->load(name);
  const bool merged = put_out_[output].ps > 0;
  SimTime served = put_out(now, asked, cost, place, merged);
  if (merged) {
    served = std::max(served, put_out_[output] - merge_window_);
  } else {
    put_out_[output] = std::max(merged_until(served), SimTime{1});
  }
  Arrival& arrival = arrivals_[read];
  if (!arrival.asked) {
    arrival = {read_dram(now, asked, cost, replayed_->read(read)), true};
  }
  return std::max(served, arrival.in_l2) + l2_latency_;
}

SimTime MemorySystem::load(SimTime now, SimTime asked, LoadName name, u32 block, Fetch fetch,
                           const BlockCost& cost, const SmPlace& place, bool multicast) {
  traffic_.l2_to_sm += cost.bytes;
  const SimTime there = replayed_ != nullptr
                            ? answer_again(now, asked, name, cost, place)
                            : answer(now, asked, name, block, fetch, cost, place, multicast);
  return there + lateness(now, block, place);
}

void MemorySystem::fetch_blocks(SimTime now, SimTime asked, Fetch fetch, const BlockCost& cost) {
  RequestLog::Read read{};
  for (u32 b = fetch.first; b < fetch.first + fetch.count; ++b) {
    if (!cache_.holds(b)) {
      // A block that shares all its bytes is cached too.
      read.written_back += insert(b, std::max<i64>(1, cost.bytes - cost.others), false);
      read.blocks += 1;
      held_[b].partitions = u32{1} << home_partition(fetch.first);
    }
  }
  const SimTime in_l2 = read_dram(now, asked, cost, read);
  const u32 logged = log_ != nullptr ? log_->add_read(read) : 0;
  for (u32 b = fetch.first; b < fetch.first + fetch.count; ++b) {
    held_[b].in_l2 = in_l2;
    if (log_ != nullptr) {
      logged_[b].read = logged;
    }
  }
}

/// Time at which the bytes read from DRAM have arrived in L2.
SimTime MemorySystem::read_dram(SimTime now, SimTime asked, const BlockCost& cost,
                                RequestLog::Read read) {
  write_dram(now, read.written_back);
  const i64 bytes = (cost.bytes - cost.others) * read.blocks;
  traffic_.dram_read += bytes;
  if (activity_ != nullptr) {
    activity_->add(Resource::kDramRead, now, bytes);
  }
  dram_use_.add(now, cost.dram * read.blocks);
  return later(dram_.serve(now, cost.dram * read.blocks), asked) + dram_latency_;
}

void MemorySystem::write_dram(SimTime now, i64 bytes) {
  if (bytes == 0) {
    return;
  }
  traffic_.dram_write += bytes;
  dram_.serve(now, {rounded(static_cast<double>(bytes) * write_ps_per_byte_)});
  if (activity_ != nullptr) {
    activity_->add(Resource::kDramWrite, now, bytes);
  }
}

SimTime MemorySystem::load_outside(SimTime now, const BlockCost& cost, u32 gpc) {
  return outside_[gpc].serve(now, cost.outside) + l2_latency_;
}

SimTime MemorySystem::take_in(SimTime now, const SmPlace& place, i64 bytes) {
  const SimTime takes{rounded(static_cast<double>(bytes) * input_ps_per_byte_)};
  l2_use_.add(now, takes);
  return l2_output_.serve(now, place, takes);
}

SimTime MemorySystem::read_ahead(SimTime now, SimTime served) {
  return dram_.serve(now, served) + dram_latency_;
}

SimTime MemorySystem::put_out_beside(SimTime now, const SmPlace& place, SimTime served) {
  return l2_output_.serve(now, place, served);
}

SimTime MemorySystem::load_sum(SimTime now, const SmPlace& place, i64 bytes, SimTime served) {
  traffic_.l2_to_sm += bytes;
  traffic_.l2_output += bytes;
  if (activity_ != nullptr) {
    activity_->add(Resource::kL2Output, now, bytes);
  }
  return l2_output_.serve(now, place, served);
}

void MemorySystem::store(SimTime now, u64 name, i64 bytes) {
  if (replayed_ != nullptr) {
    write_dram(now, replayed_->store(name));
  } else if (bytes > 0) {
    const i64 written_back = insert(cache_.add_block(), bytes, true);
    write_dram(now, written_back);
    if (log_ != nullptr) {
      log_->add_store(name, written_back);
    }
  }
}

i64 MemorySystem::insert(u32 block, i64 bytes, bool written) {
  // Counts whole bytes; remainders are carried over to the next block.
  const auto written_of = [this](i64 left) {
    return rounded(static_cast<double>(left) * left_written_);
  };
  const i64 still_left = std::max<i64>(0, left_ - bytes);
  const i64 written_back =
      cache_.insert(block, bytes, written) + written_of(left_) - written_of(still_left);
  left_ = still_left;
  return written_back;
}

}  // namespace tilecast
