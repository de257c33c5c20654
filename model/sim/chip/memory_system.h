// L2 and DRAM, shared by all SMs. Their rates are per second and do not follow the SM clock.
//
// A load of a block
//   - merges with a request of the same GPC that L2 has yet to serve, or served at most
//     merge_window ago: L2 delivers the lines once, to both at the same time. Multicasts are
//     not merged;
//   - otherwise takes L2's output for its bytes, more if rows do not start on line boundaries;
//   - and, if L2 does not hold the block, takes DRAM's bandwidth once: later requests wait for
//     the same arrival.
//   arrival = max(L2 output served + L2 latency, DRAM served + DRAM latency)
// plus a fraction of load_spread that is fixed per block and SM pair and proportional to the
// utilization of L2 or DRAM. It stands for unevenly used slices, channels and paths, which keep SMs
// from staying in lockstep; an idle memory has no such delay. A store blocks L2's loads for its
// transfer time. L2 starts full of data from an earlier run of the same kernel. Each incoming byte
// evicts one of those bytes, which goes to DRAM if it was written; once they are gone, blocks are
// evicted in LRU order. shared_output.h shares L2's output; DRAM serves in request order. Both
// start to serve a request when it is made, so a long latency of one request does not delay the
// next. A block's home is one of two L2 partitions; the other keeps a copy from its first request
// on, and the crossing is counted. Out-of-bounds rows come from one address in L2, which serves
// each GPC's SMs in turn.
//
// Not modelled: which slices and channels are uneven, DRAM pages and refresh, the time of a
// crossing and the space of its copy.
//
// Checked by: memory_system_test.cpp.
#pragma once

#include <vector>

#include "model/sim/chip/activity.h"
#include "model/sim/chip/block_cache.h"
#include "model/sim/chip/recent_use.h"
#include "model/sim/chip/request_log.h"
#include "model/sim/chip/shared_output.h"
#include "model/sim/engine/server.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/row_cost.h"

namespace tilecast {

/// Demands of one block on each part of the memory.
struct BlockCost {
  i64 bytes = 0;     // inside the matrix; 0 if the whole block is out of bounds
  i64 sectors = 0;   // the same bytes, in sectors
  SimTime l2, dram;  // service time of L2's output and of a DRAM read
  SimTime fill;      // fill time of each receiving SM, including zeros
  SimTime requests;  // copy engine time of the SM that loads the block
  SimTime unmerged;  // part of l2, for rows that start inside a sector
  i64 unmerged_sectors = 0;
  SimTime outside;  // time of the GPC for out-of-bounds rows
  // part of `bytes` that also belongs to another block, which reads and caches them
  i64 others = 0;
};

struct MemoryTraffic {
  i64 l2_to_sm = 0;   // bytes delivered; a multicast counts once
  i64 l2_output = 0;  // bytes delivered after merging
  i64 far = 0;        // part of l2_output from the other partition
  i64 dram_read = 0, dram_write = 0;
};

class MemorySystem {
 public:
  static constexpr i32 kMostGpcs = 12;

  /// `left_written`: fraction of L2 that holds dirty data of an earlier run.
  MemorySystem(const GpuSpec& gpu, std::size_t blocks, Hertz sm_clock, Activity* activity,
               double left_written = 0);
  /// Records the outcome of each request from now on.
  void record(RequestLog& log);
  /// Repeats the outcomes recorded in `log`, which must outlive this object.
  void replay(const RequestLog& log);

  /// Equally sized blocks that L2 reads from DRAM together.
  struct Fetch {
    u32 first, count;
  };

  /// Returns the time at which the block has arrived at the SM. The SM's copy engine requests it
  /// from `now` until `asked`.
  SimTime load(SimTime now, SimTime asked, LoadName name, u32 block, Fetch fetch,
               const BlockCost& cost, const SmPlace& place, bool multicast = false);
  /// Returns the time at which the out-of-bounds rows of a block have arrived.
  SimTime load_outside(SimTime now, const BlockCost& cost, u32 gpc);
  /// Returns the time at which L2 has delivered partial sums that it holds; `served`: service time
  /// of the bytes.
  SimTime load_sum(SimTime now, const SmPlace& place, i64 bytes, SimTime served);
  /// Returns the time at which L2 has finished a prefetch from DRAM. The prefetch's space and bytes
  /// are counted elsewhere.
  SimTime read_ahead(SimTime now, SimTime served);
  /// Returns the time at which L2 has delivered prefetched bytes to an SM.
  SimTime put_out_beside(SimTime now, const SmPlace& place, SimTime served);
  /// Returns the time at which L2 has taken in bytes that an SM stores from `now` on; queued output
  /// of L2 comes first.
  SimTime take_in(SimTime now, const SmPlace& place, i64 bytes);
  /// Stores a block of results, which is written once; it goes to DRAM when it is evicted.
  void store(SimTime now, u64 name, i64 bytes);

  const MemoryTraffic& traffic() const { return traffic_; }
  SimTime l2_busy() const { return l2_output_.busy(); }
  SimTime dram_free_at() const { return dram_.free_at(); }
  SimTime dram_busy() const { return dram_.busy(); }

 private:
  /// State of a block, one cache line of the host. A tick is 1024 ps.
  struct alignas(64) Held {
    SimTime in_l2;       // completion of its last DRAM read
    u32 touched = 0;     // tick of the last touch reported to the cache
    u32 partitions = 0;  // mask of partitions that hold it: its home, and the other once a request
                         // came from there
    u32 merged_until[kMostGpcs]{};  // tick until which requests of a GPC merge with its last one
  };
  /// State while recording: each GPC's last output of a block, and the block's last read.
  struct Logged {
    u32 output[kMostGpcs]{};
    u32 read = 0;
  };
  /// State while replaying: a read in progress.
  struct Arrival {
    SimTime in_l2;
    bool asked = false;
  };

  SimTime answer(SimTime now, SimTime asked, LoadName name, u32 block, Fetch fetch,
                 const BlockCost& cost, const SmPlace& place, bool multicast);
  SimTime answer_again(SimTime now, SimTime asked, LoadName name, const BlockCost& cost,
                       const SmPlace& place);
  void fetch_blocks(SimTime now, SimTime asked, Fetch fetch, const BlockCost& cost);
  SimTime put_out(SimTime now, SimTime asked, const BlockCost& cost, const SmPlace& place,
                  bool merged);
  SimTime read_dram(SimTime now, SimTime asked, const BlockCost& cost, RequestLog::Read read);
  void write_dram(SimTime now, i64 bytes);
  SimTime merged_until(SimTime served) const;
  SimTime lateness(SimTime now, u32 block, const SmPlace& place) const;
  i64 insert(u32 block, i64 bytes, bool written);  // bytes written back

  BlockCache cache_;
  std::vector<Held> held_;
  SharedOutput l2_output_;
  Server dram_;
  RecentUse l2_use_, dram_use_;
  i64 left_;  // bytes of the earlier run still in L2
  double left_written_;
  std::vector<Server> outside_;  // out-of-bounds rows, one server per GPC
  SimTime l2_latency_, merge_window_, load_spread_, dram_latency_;
  double write_ps_per_byte_, input_ps_per_byte_;
  MemoryTraffic traffic_;
  Activity* activity_;
  RequestLog* log_ = nullptr;
  std::vector<Logged> logged_;  // indexed by block
  const RequestLog* replayed_ = nullptr;
  std::vector<Arrival> arrivals_;  // indexed by read
  std::vector<SimTime>
      put_out_;  // indexed by L2 output: time until which other requests merge with it
};

}  // namespace tilecast
