// Key: dram.write_rate, power.per_dram_byte.
//
// Method: all SMs stream in step through one region several times as large as L2, by bulk copies. A
// step moves one block; in each `period` of steps, the first `reads` steps load and the first
// `writes` steps store a block, from the slot that the step's load filled.
//
// Excludes: computation; L2 hits (no line is touched twice in a run).
//
// Every step commits one group, possibly empty, so that the group of a step is complete once at
// most kLag later groups are pending.
#include "kernels/micro/slot_ring.cuh"
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr u32 kSlots = 12;
constexpr u32 kLag = 4;

extern "C" __global__ void __launch_bounds__(32)
    tilecast_dram_mix(const char* from, char* to, u32 bytes, u32 steps, u32 period, u32 reads,
                      u32 writes, u32* counter, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 barriers[kSlots];
  if (!ptx::elect_one()) {
    return;
  }
  const u32 buffer = ptx::shared_address(dynamic);
  const SlotRing ring = SlotRing::init(barriers, kSlots);
  ptx::fence_proxy_async();
  const auto place = [&](u32 step) {
    return (static_cast<u64>(step) * gridDim.x + blockIdx.x) * bytes;
  };
  const auto load = [&](u32 step) {
    if (step < steps && step % period < reads) {
      const u32 slot = step % kSlots;
      ptx::mbarrier_arrive_expect_tx(ring.barrier(slot), bytes);
      ptx::bulk_load(buffer + slot * bytes, from + place(step), bytes, ring.barrier(slot));
    }
  };
  if (!wait_for_grid(counter)) {
    return;
  }
  const Stopwatch watch = Stopwatch::start();
  u32 phases = 0;  // one bit per slot
  u64 moved = 0;
  for (u32 step = 0; step < kSlots - kLag; ++step) {
    load(step);
  }
  for (u32 step = 0; step < steps; ++step) {
    const u32 slot = step % kSlots;
    if (step % period < reads) {
      ring.wait({slot, phases >> slot & 1});
      phases ^= 1u << slot;
      moved += bytes;
    }
    if (step % period < writes) {
      ptx::bulk_store(to + place(step), buffer + slot * bytes, bytes);
      moved += bytes;
    }
    ptx::tma_store_commit();
    ptx::tma_store_wait_read<kLag>();
    load(step + kSlots - kLag);  // loads into the slot of step - kLag
  }
  ptx::bulk_wait<0>();
  samples[blockIdx.x] = watch.stop(moved);
}

}  // namespace tilecast
