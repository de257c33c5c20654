// Runs kernels/micro/tma_ring.cu: bulk copies in a ring on chosen SMs, each with its task.
#pragma once

#include <functional>
#include <vector>

#include "validate/measure/micro_lab.h"

namespace tilecast {

struct RingRun {
  std::size_t region;  // bytes of a group's memory
  u32 groups;
  u32 bytes, slots, loads;
  i32 cluster_size = 1;
  std::function<SmTask(u32 smid)> task;
};

/// Repeats the run and joins the SMs of each repetition; the first repetition only warms up.
std::vector<TimedSample> run_ring(MicroLab& lab, const RingRun& ring, int repeats);

}  // namespace tilecast
