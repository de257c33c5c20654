// What all SMs share: L2 and DRAM. Their rates are in seconds, whatever the SM clock.
//
// A load of a block
//   - is merged with one of the same GPC that L2 has yet to put out, or did at most merge_window
//     before: L2 puts the lines out once, for both at the same time. Multicasts are not merged;
//   - else takes L2's output for its bytes, more where rows start off their lines;
//   - and, where L2 does not hold the block, DRAM's bandwidth once: later requests wait for the
//     same arrival.
//   arrival = max(L2 output served + L2 latency, DRAM served + DRAM latency)
// and later by a share of load_spread, by block and pair of SMs, always the same, and in proportion
// to how busy L2 or DRAM is: what uneven slices, channels and ways cost, without which SMs would
// stay in step for ever, and which nobody sees who is alone.
// A store of results keeps L2 from its loads for as long as it takes to come in. L2 begins full of
// what a run of the same kernel left there: each byte that comes in drives one of those out, to
// DRAM where it was written, and later the block that was used least recently. L2's output is
// shared as shared_output.h has it, DRAM serves in the order of asking; both at the time of asking,
// so that a long latency of one does not hold up the next. A block has its home in one of two
// partitions; the other keeps a copy from its first request on, and that crossing is counted. Rows
// out of bounds come from one place of L2, to each GPC one after the other, for every SM that asks.
//
// Leaves out: which slices and channels are hit unevenly, DRAM pages and refresh, the cost of a
// crossing and the room of its copy.
//
// Checked by: memory_system_test.cpp.
#pragma once

#include <cmath>
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

/// What moving one block takes of each part of the memory.
struct BlockCost {
  i64 bytes = 0;     // that exist; 0 where all of the block lies out of bounds
  i64 sectors = 0;   // the same in whole sectors
  SimTime l2, dram;  // to put out, to read
  SimTime fill;      // of the intake of each SM that gets the block, zeros included
  SimTime requests;  // of the copy engine of the SM that loads the block
  SimTime unmerged;  // of l2, for rows that start inside a sector
  i64 unmerged_sectors = 0;
  SimTime outside;  // of the GPC, for rows out of bounds
  i64 others = 0;   // of bytes, those that another block has too, which reads and holds them
};

struct MemoryTraffic {
  i64 l2_to_sm = 0;   // delivered; a multicast counts once
  i64 l2_output = 0;  // the same after merging
  i64 far = 0;        // of l2_output, from the other partition
  i64 dram_read = 0, dram_write = 0;
};

class MemorySystem {
 public:
  static constexpr i32 kMostGpcs = 12;

  /// `left_written`: share of what L2 holds from the run before that it has yet to write to DRAM.
  MemorySystem(const GpuSpec& gpu, std::size_t blocks, Hertz sm_clock, Activity* activity,
               double left_written = 0);
  /// Notes from now on what becomes of requests.
  void record(RequestLog& log);
  /// Nothing is decided here: requests become what they became in `log`, which outlives this.
  void replay(const RequestLog& log);

  /// Blocks that L2 reads from DRAM together, of equal size.
  struct Fetch {
    u32 first, count;
  };

  /// When the block's bytes are at the SM. The copy engine begins to ask for them now and has asked
  /// for all at `asked`; it is one of the SM there.
  SimTime load(SimTime now, SimTime asked, LoadName name, u32 block, Fetch fetch,
               const BlockCost& cost, const SmPlace& place, bool multicast = false);
  /// The same for the rows of a block that lie out of bounds.
  SimTime load_outside(SimTime now, const BlockCost& cost, u32 gpc);
  /// When L2 has put out partial sums that it holds; `served` for the bytes.
  SimTime load_sum(SimTime now, const SmPlace& place, i64 bytes, SimTime served);
  /// When L2 has read what it is told to read ahead; room and bytes are counted elsewhere.
  SimTime read_ahead(SimTime now, SimTime served);
  /// When L2 has put that out to an SM.
  SimTime put_out_beside(SimTime now, const SmPlace& place, SimTime served);
  /// When L2 has taken in bytes that an SM begins to store now, behind what it has to put out.
  SimTime take_in(SimTime now, const SmPlace& place, i64 bytes);
  /// A block of results is written, each once; it goes to DRAM when L2 needs its room.
  void store(SimTime now, u64 name, i64 bytes);

  const MemoryTraffic& traffic() const { return traffic_; }
  SimTime l2_busy() const { return l2_output_.busy(); }
  SimTime dram_free_at() const { return dram_.free_at(); }
  SimTime dram_busy() const { return dram_.busy(); }

 private:
  /// One line of the host's cache. Ticks are 1024 ps.
  struct alignas(64) Held {
    SimTime in_l2;                  // when the last read from DRAM has all of it there
    u32 touched = 0;                // tick of the last time that the cache was told of a use
    u32 partitions = 0;             // that hold the block: its home, and the other once it asked
    u32 merged_until[kMostGpcs]{};  // tick until which requests of a GPC are merged with its last
  };
  /// Of a log that is written: the last output to each GPC and the last read of a block.
  struct Logged {
    u32 output[kMostGpcs]{};
    u32 read = 0;
  };
  /// Of a log that is followed: a read that has been asked for.
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
  i64 insert(u32 block, i64 bytes, bool written);  // bytes that are written back

  BlockCache cache_;
  std::vector<Held> held_;
  SharedOutput l2_output_;
  Server dram_;
  RecentUse l2_use_, dram_use_;
  i64 left_;  // bytes that L2 still holds from the run before
  double left_written_;
  std::vector<Server> outside_;  // rows out of bounds, of each GPC
  SimTime l2_latency_, merge_window_, load_spread_, dram_latency_;
  double write_ps_per_byte_, input_ps_per_byte_;
  MemoryTraffic traffic_;
  Activity* activity_;
  RequestLog* log_ = nullptr;
  std::vector<Logged> logged_;  // of each block
  const RequestLog* replayed_ = nullptr;
  std::vector<Arrival> arrivals_;  // of its reads
  std::vector<SimTime> put_out_;   // of its outputs, once asked for: until when others are merged
};

}  // namespace tilecast
