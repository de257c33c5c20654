// Runs kernels/micro/tma_ring.cu and tma_box.cu: copies in a ring on chosen SMs, each with its
// task.
#pragma once

#include <functional>
#include <vector>

#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

using TaskOfSm = std::function<SmTask(u32 smid)>;

struct RingRun {
  std::size_t region;  // bytes of a group's memory
  u32 groups;
  u32 bytes, slots, loads;
  TaskOfSm task;
};

/// The second of two runs, the first of which only warms up: a sample of each SM.
std::vector<TimedSample> run_ring_by_sm(MicroLab& lab, const RingRun& ring);

/// Repeats the run and joins the SMs of each repetition; the first repetition only warms up.
std::vector<TimedSample> run_ring(MicroLab& lab, const RingRun& ring, int repeats);

/// Boxes of `box_rows` rows and 64 columns of 16 bits, of a matrix of `rows` rows from row `row`
/// on.
struct BoxRun {
  i32 rows, box_rows, row;
  u32 range, ranges;  // columns of a group
  u32 boxes, slots, turns;
  TaskOfSm task;
};

std::vector<TimedSample> run_boxes(MicroLab& lab, const BoxRun& run, int repeats);

/// The tasks by smid, in device memory. Every active group must be below `groups`.
DeviceMemory tasks_on_device(const TaskOfSm& task, u32 groups);

/// Whether the SM is one of `active` that lie `apart` numbers from each other.
constexpr bool is_one_of(u32 smid, u32 active, u32 apart) {
  return smid % apart == 0 && smid / apart < active;
}

}  // namespace tilecast
