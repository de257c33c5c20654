// Runs kernels/micro/tma_ring.cu and tma_box.cu: copies in a ring on chosen SMs, each with its
// task.
#pragma once

#include <functional>
#include <vector>

#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

/// Called before each run, e.g. to enqueue what brings the clock down.
using BeforeRun = std::function<void()>;
using TaskOfSm = std::function<SmTask(u32 smid)>;

struct RingRun {
  std::size_t region;  // bytes of a group's memory
  u32 groups;
  u32 bytes, slots, loads;
  i32 cluster_size = 1;
  TaskOfSm task;
  BeforeRun before = {};
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

/// Reads of DRAM by `active` SMs, for so long that what runs meanwhile on a free SM has ended.
class BackgroundReads {
 public:
  /// `memory`: kBackgroundRegion bytes.
  BackgroundReads(MicroLab& lab, const char* memory, u32 active, u32 loads);

  void start();
  /// Waits for the end; what all SMs read together.
  TimedSample finish();

 private:
  MicroLab& lab_;
  const char* memory_;
  u32 loads_;
  Stream stream_;
  DeviceMemory tasks_, counter_, samples_;
};

constexpr std::size_t kBackgroundRegion = std::size_t{4} << 30;

}  // namespace tilecast
