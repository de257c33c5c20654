// Key: wgmma.operand_rate while shared memory is filled.
// Method: warpgroups run the loop of wgmma_rate.cu while one more warp has bulk copies bring
// `bytes` from L2 into shared memory every `period` cycles, until the warpgroups have ended. Both
// sides are timed: the slowing of wgmma and the bytes that really came, against the offer.
// Excludes: DRAM (the source lies in L2) and the limit of L2 itself (few SMs run).
#include "kernels/micro/wgmma_loop.cuh"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr i32 kFillSlots = 4;
constexpr i32 kComputing = TILECAST_WARPGROUPS * kWarpgroupThreads;
constexpr u32 kMostFills = 1u << 20;

/// Fills the slots round and round until `ended` warpgroups are done; times and counts.
__device__ TimedSample fill(u32 slots, u32 barriers, const char* source, u32 region, u32 bytes,
                            u32 period, const volatile u32* ended) {
  const Stopwatch watch = Stopwatch::start();
  u64 brought = 0;
  u32 issued = 0;
  for (; issued < kMostFills && *ended < TILECAST_WARPGROUPS; ++issued) {
    const u32 slot = issued % kFillSlots;
    const u32 barrier = barriers + slot * 8;
    if (issued >= kFillSlots) {
      ptx::mbarrier_wait_or_trap(barrier, (issued / kFillSlots - 1) & 1);
      brought += bytes;
    }
    while (ptx::clock64_now() - watch.cycles < static_cast<u64>(issued) * period &&
           *ended < TILECAST_WARPGROUPS) {
    }
    ptx::mbarrier_arrive_expect_tx(barrier, bytes);
    ptx::bulk_load(slots + slot * bytes, source + issued * bytes % region, bytes, barrier);
  }
  const TimedSample sample = watch.stop(brought);
  for (u32 i = issued > kFillSlots ? issued - kFillSlots : 0; i < issued; ++i) {
    ptx::mbarrier_wait_or_trap(barriers + i % kFillSlots * 8, i / kFillSlots & 1);
  }
  return sample;
}

/// Shared memory: operands, slots of `bytes`, barriers. A sample per warpgroup, then the fills'.
extern "C" __global__ void __launch_bounds__(kComputing + 32)
    tilecast_wgmma_contention(u32 groups, u32 random, const char* source, u32 region, u32 bytes,
                              u32 period, TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  __shared__ u32 ended;
  __shared__ __align__(8) u64 barriers[kFillSlots];
  if (threadIdx.x == 0) {
    ended = 0;
    for (i32 slot = 0; slot < kFillSlots; ++slot) {
      ptx::mbarrier_init(ptx::shared_address(&barriers[slot]), 1);
    }
    ptx::fence_mbarrier_init();
  }
  fill_operands(dynamic, kOperandsBytes, random != 0);
  const u32 a = ptx::shared_address(dynamic);
  TimedSample* mine = samples + blockIdx.x * (TILECAST_WARPGROUPS + 1);
  if (threadIdx.x < kComputing) {
    const Stopwatch watch = Stopwatch::start();
    wgmma_loop<TILECAST_GROUP, TILECAST_PENDING, TILECAST_ACCUMULATORS,
               TILECAST_A_IN_REGISTERS != 0>(a, a + kABytes, groups, samples);
    if (threadIdx.x % kWarpgroupThreads == 0) {
      mine[threadIdx.x / kWarpgroupThreads] = watch.stop(groups * TILECAST_GROUP);
      atomicAdd(&ended, 1u);
    }
  } else if (!ptx::elect_one()) {
    return;
  } else if (period > 0) {
    mine[TILECAST_WARPGROUPS] =
        fill(a + kOperandsBytes, ptx::shared_address(barriers),
             source + static_cast<u64>(blockIdx.x) * region, region, bytes, period, &ended);
  } else {
    mine[TILECAST_WARPGROUPS] = {1, 1, 0, ptx::smid(), 1};
  }
}

}  // namespace tilecast
