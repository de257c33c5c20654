// What all SMs share: L2 and DRAM. Their rates are in seconds, whatever the SM clock.
//
// A load of a block
//   - is merged with one of the same group of SMs that is still under way: L2 puts the lines out
//     once, for merge_limit requests at most;
//   - else takes L2's output for its bytes, more where rows start off their lines;
//   - and, where L2 does not hold the block, DRAM's bandwidth once: later requests wait for the
//     same arrival.
//   arrival = max(L2 output served + L2 latency, DRAM served + DRAM latency)
// Servers take requests in the order of asking, at the time of asking, so that a long latency of
// one does not hold up the next. A block has its home in one of two partitions; the other keeps a
// copy from its first request on, and that crossing is counted.
//
// Leaves out: slices and channels that are hit unevenly, DRAM pages and refresh, the cost of a
// crossing and the room of its copy, a limit on what L2 takes in.
//
// Checked by: memory_system_test.cpp.
#pragma once

#include <vector>

#include "model/sim/activity.h"
#include "model/sim/block_cache.h"
#include "model/sim/server.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// What moving one block takes of each part of the memory.
struct BlockCost {
  i64 bytes = 0;     // that exist; 0 where all of the block lies beyond the edge
  SimTime l2, dram;  // to put out, to read
  SimTime fill;      // of the intake of each SM that gets the block, zeros included
  SimTime zeros;     // beyond that, of the SM that loads the block
};

struct MemoryTraffic {
  i64 l2_to_sm = 0;   // delivered; a multicast counts once
  i64 l2_output = 0;  // the same after merging
  i64 far = 0;        // of l2_output, from the other partition
  i64 dram_read = 0, dram_write = 0;
};

class MemorySystem {
 public:
  static constexpr u32 kMostGroups = 64;

  MemorySystem(const GpuSpec& gpu, std::size_t blocks, Activity* activity);

  /// When the block's bytes are in shared memory, as far as L2 and DRAM decide. `group` of SMs.
  SimTime load(SimTime now, u32 block, const BlockCost& cost, u32 group);
  /// When partial sums that L2 holds are with the SM that reads them; `served` for the bytes.
  SimTime load_sum(SimTime now, i64 bytes, SimTime served);
  /// A block of C is written; it goes to DRAM when L2 needs its room.
  void store(SimTime now, u32 block, i64 bytes);

  SimTime l2_latency() const { return l2_latency_; }
  const MemoryTraffic& traffic() const { return traffic_; }
  SimTime l2_busy() const { return l2_output_.busy(); }
  SimTime dram_busy() const { return dram_.busy(); }

 private:
  struct InFlight {
    SimTime until;         // arrival of the last request's bytes
    SimTime dram_arrival;  // of the last read from DRAM
    u64 groups = 0;        // that have a request under way
    u32 partitions = 0;    // that hold the block: its home, and the other once it asked
    u32 merged = 0;        // requests served by the last output
  };

  void make_room(SimTime now, i64 written_back);

  BlockCache cache_;
  std::vector<InFlight> in_flight_;
  Server l2_output_, dram_;
  SimTime l2_latency_, dram_latency_;
  double write_ps_per_byte_;
  double merge_limit_;
  MemoryTraffic traffic_;
  Activity* activity_;
};

}  // namespace tilecast
