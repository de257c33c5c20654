// The simulated chip: SMs with their pipes, the memory they share, and the engine that advances
// time.
#pragma once

#include <vector>

#include "model/sim/chip/memory_system.h"
#include "model/sim/engine/engine.h"
#include "model/sim/engine/server.h"

namespace tilecast {

/// One SM, shared by the CTAs resident on it.
struct Sm {
  SmPlace place;
  Server tensor;  // MMAs of all warpgroups, in issue order
  Server copies;  // copy engine: load requests, and zeros for out-of-bounds parts
  Server intake;  // writes into shared memory: L2 responses, including multicast, and accumulators
  Server stores;  // copy engine: reads of shared memory by bulk stores
  Server tensor_memory;                         // accumulator loads from tensor memory
  Server arithmetic;                            // issue slots and the special function unit
  Server loads;                                 // loads by threads, into registers
  bool has_loaded = false, has_stored = false;  // loaded or stored at least once in this kernel
};

struct Chip {
  /// `blocks` and `left_written` are passed to MemorySystem.
  Chip(const GpuSpec& gpu, Hertz sm_clock, std::size_t blocks, Activity* watched,
       double left_written);

  i32 index(const Sm& sm) const { return static_cast<i32>(&sm - sms.data()); }
  SimTime tensor_busy() const;  // total over all SMs

  Engine engine;
  MemorySystem memory;
  std::vector<Sm> sms;
  Server launch_control;  // responds to CTAs that request their next tile
  i64 sm_intake = 0;      // bytes
  Activity* activity;     // receives the activity unless null
};

/// Returns the SMs in the order in which the hardware assigns `ctas` CTAs to them, in clusters of
/// `cluster`.
std::vector<i32> places_of(i32 sms, i32 gpcs, i32 cluster, i32 ctas);

}  // namespace tilecast
