// Key: machine.l2_output, machine.gpc_groups, machine.merge_limit, dram.read_rate;
// power.per_l2_byte and power.per_dram_byte.
//
// Method: on every SM with a task, one thread keeps `slots` bulk copies of `bytes` in flight and
// cycles through its group's region of memory. The tasks determine the measured quantity:
//   few SMs, region in L2                     intake of one SM
//   all SMs, one region each, all in L2       L2 output for distinct lines
//   the same, SM by SM                        how L2 output is divided among SMs
//   all SMs, several per region               the same with shared lines, at one time or not
//   all SMs, one region larger than L2        DRAM reads against bytes in flight
//
// Excludes: consumers of the data; tensor maps (copies of contiguous memory); start and end, by
// means of long runs.
//
// One CTA per SM: the host requests enough shared memory that two do not fit.
#include "kernels/micro/slot_ring.cuh"
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_ring(const char* memory, u64 region, u32 bytes, u32 slots, u32 loads,
                      const SmTask* tasks, u32* counter, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 barriers[kMostSlots];
  if (!ptx::elect_one()) {
    return;
  }
  const u32 buffer = ptx::shared_address(dynamic);
  const SlotRing ring = SlotRing::init(barriers, slots);
  const SmTask task = tasks[ptx::smid()];
  if (!wait_for_grid(counter)) {
    return;
  }
  if (task.active == 0) {
    samples[blockIdx.x] = {0, 0, 0, ptx::smid(), 1};
    return;
  }
  const char* source = memory + task.group * region;
  const u64 stride = static_cast<u64>(task.step) * bytes;
  u64 offset = static_cast<u64>(task.first) * bytes % region;
  const auto issue = [&](u32 slot) {
    ptx::mbarrier_arrive_expect_tx(ring.barrier(slot), bytes);
    ptx::bulk_load(buffer + slot * bytes, source + offset, bytes, ring.barrier(slot));
    offset += stride;
    offset = offset >= region ? offset % region : offset;
  };
  const Stopwatch watch = Stopwatch::start();
  ring.run(loads, issue);
  samples[blockIdx.x] = watch.stop(static_cast<u64>(loads) * bytes);
}

}  // namespace tilecast
