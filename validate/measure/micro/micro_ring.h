// Runs kernels/micro/tma_ring.cu and tma_box.cu: copies in a ring on chosen SMs, with a task for
// each SM.
#pragma once

#include <functional>
#include <vector>

#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

using TaskOfSm = std::function<SmTask(u32 smid)>;

struct RingRun {
  std::size_t region;  // bytes of memory per group
  u32 groups;
  u32 bytes, slots, loads;
  TaskOfSm task;
};

/// Runs twice, the first time to warm up, and returns a sample for each SM.
std::vector<TimedSample> run_ring_by_sm(MicroLab& lab, const RingRun& ring);

/// Repeats the run and joins the SMs of each repetition; the first repetition only warms up.
std::vector<TimedSample> run_ring(MicroLab& lab, const RingRun& ring, int repeats);

/// Boxes of `box_rows` rows and 64 16-bit columns, from row `row` on of a matrix of `rows` rows.
struct BoxRun {
  i32 rows, box_rows, row;
  u32 range, ranges;  // columns per group, number of groups
  u32 boxes, slots, turns;
  TaskOfSm task;
};

std::vector<TimedSample> run_boxes(MicroLab& lab, const BoxRun& run, int repeats);

/// Copies the tasks by smid to device memory. Every active group must be below `groups`.
DeviceMemory tasks_on_device(const TaskOfSm& task, u32 groups);

/// Whether the SM is one of `active` SMs whose numbers are multiples of `apart`.
constexpr bool is_one_of(u32 smid, u32 active, u32 apart) {
  return smid % apart == 0 && smid / apart < active;
}

}  // namespace tilecast
