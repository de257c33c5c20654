#include "model/sim/memory_system.h"

#include <algorithm>
#include <cmath>

namespace tilecast {
namespace {

u32 home_partition(u32 block) { return (block * 2654435761u) >> 31; }

}  // namespace

MemorySystem::MemorySystem(const GpuSpec& gpu, std::size_t blocks, Activity* activity)
    : cache_(blocks, static_cast<i64>(gpu.l2->capacity.value * gpu.l2->usable_fraction)),
      in_flight_(blocks),
      l2_latency_(sim_time(gpu.tma->l2_latency)),
      dram_latency_(sim_time(gpu.tma->dram_latency)),
      write_ps_per_byte_(1e12 / (gpu.dram->bandwidth.value * gpu.dram->write_efficiency)),
      merge_limit_(gpu.l2->merge_limit),
      activity_(activity) {}

SimTime MemorySystem::load(SimTime now, u32 block, const BlockCost& cost, u32 group) {
  traffic_.l2_to_sm += cost.bytes;
  InFlight& last = in_flight_[block];
  const u64 bit = u64{1} << group;
  const bool under_way = now < last.until;
  if (under_way) {
    if ((last.groups & bit) != 0 && last.merged + 1 <= merge_limit_) {
      ++last.merged;
      return last.until;
    }
  } else {
    last.groups = 0;
  }
  last.groups |= bit;
  last.merged = 1;
  traffic_.l2_output += cost.bytes;
  if (activity_ != nullptr) {
    activity_->add(Resource::kL2Output, now, cost.bytes);
  }
  if (cache_.holds(block)) {
    if (!under_way) {  // else it was touched just now
      cache_.touch(block);
    }
  } else {
    traffic_.dram_read += cost.bytes;
    if (activity_ != nullptr) {
      activity_->add(Resource::kDramRead, now, cost.bytes);
    }
    make_room(now, cache_.insert(block, cost.bytes, false));
    last.partitions = u32{1} << home_partition(block);
    last.dram_arrival = dram_.serve(now, cost.dram) + dram_latency_;
  }
  const u32 partition = u32{1} << (group & 1);
  traffic_.far += (last.partitions & partition) == 0 ? cost.bytes : 0;
  last.partitions |= partition;
  last.until = std::max(l2_output_.serve(now, cost.l2) + l2_latency_, last.dram_arrival);
  return last.until;
}

SimTime MemorySystem::load_sum(SimTime now, i64 bytes, SimTime served) {
  traffic_.l2_to_sm += bytes;
  traffic_.l2_output += bytes;
  if (activity_ != nullptr) {
    activity_->add(Resource::kL2Output, now, bytes);
  }
  return l2_output_.serve(now, served);
}

void MemorySystem::store(SimTime now, u32 block, i64 bytes) {
  if (bytes > 0 && !cache_.holds(block)) {
    make_room(now, cache_.insert(block, bytes, true));
  }
}

void MemorySystem::make_room(SimTime now, i64 written_back) {
  if (written_back > 0) {
    traffic_.dram_write += written_back;
    dram_.serve(now, {std::llround(static_cast<double>(written_back) * write_ps_per_byte_)});
    if (activity_ != nullptr) {
      activity_->add(Resource::kDramWrite, now, written_back);
    }
  }
}

}  // namespace tilecast
