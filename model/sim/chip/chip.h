// The chip that a kernel runs on: SMs with their pipes, the memory that they share, and the time
// that passes there.
#pragma once

#include <vector>

#include "model/sim/chip/memory_system.h"
#include "model/sim/engine/engine.h"
#include "model/sim/engine/server.h"

namespace tilecast {

/// One SM. CTAs that live on it together share all of it.
struct Sm {
  SmPlace place;
  Server tensor;         // MMAs of all warpgroups, in order of issue
  Server copies;         // the copy engine's requests, and the zeros that it makes
  Server intake;         // into shared memory: from L2, multicast included, and accumulators
  Server stores;         // the copy engine's reads of shared memory
  Server tensor_memory;  // loads of accumulators
  Server arithmetic;     // issue slots and the special function unit
  Server loads;          // by threads, into registers
  bool has_loaded = false, has_stored = false;  // a first time in this kernel
};

struct Chip {
  /// `blocks` and `left_written`: as MemorySystem's.
  Chip(const GpuSpec& gpu, Hertz sm_clock, std::size_t blocks, Activity* watched,
       double left_written);

  i32 index(const Sm& sm) const { return static_cast<i32>(&sm - sms.data()); }
  SimTime tensor_busy() const;  // of all SMs

  Engine engine;
  MemorySystem memory;
  std::vector<Sm> sms;
  Server launch_control;  // answers to CTAs that ask for tiles
  i64 sm_intake = 0;      // bytes
  Activity* activity;     // null: not asked for
};

/// SMs in the order in which the hardware gives them to `ctas` CTAs in clusters of `cluster`.
std::vector<i32> places_of(i32 sms, i32 gpcs, i32 cluster, i32 ctas);

}  // namespace tilecast
