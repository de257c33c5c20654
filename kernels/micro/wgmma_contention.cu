// Key: wgmma.operand_rate while shared memory is filled.
//
// Method: warpgroups run the loop of wgmma_rate.cu while one more warp has `copies` of `bytes` each
// brought from L2 into shared memory every `period` cycles, until the warpgroups have ended: bulk
// copies of plain memory, or boxes of a tensor map as a GEMM loads them. Both sides are timed: the
// slowing of wgmma and the bytes that really came, against the offer. Several copies to a turn keep
// the turn of the filling thread out of it.
//
// Excludes: DRAM (the source lies in L2) and the limit of L2 itself (few SMs run).
#include "kernels/gemm/gemm_args.h"
#include "kernels/micro/slot_ring.cuh"
#include "kernels/micro/wgmma_loop.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr i32 kComputing = TILECAST_WARPGROUPS * kWarpgroupThreads;
constexpr u32 kMostFills = 1u << 20;

struct Fills {
  const TensorMap* map;  // null: bulk copies from `source`
  const char* source;
  u32 region;  // bytes, or columns of the map, that they go round in
  i32 row;     // of the map
  u32 bytes, copies, slots, period;

  __device__ __forceinline__ void start(u32 i, u32 destination, u32 barrier) const {
    constexpr u32 kBoxColumns = 64;
    ptx::mbarrier_arrive_expect_tx(barrier, bytes * copies);
    for (u32 copy = 0; copy < copies; ++copy) {
      const u32 turn = i * copies + copy;
      if (map != nullptr) {
        ptx::tma_load_2d(destination + copy * bytes, map,
                         static_cast<i32>(turn * kBoxColumns % region), row, barrier);
      } else {
        ptx::bulk_load(destination + copy * bytes, source + turn * bytes % region, bytes, barrier);
      }
    }
  }
};

/// Fills the slots round and round until `ended` warpgroups are done; times and counts.
__device__ TimedSample fill(const Fills& fills, u32 slots, u32 barriers,
                            const volatile u32* ended) {
  const Stopwatch watch = Stopwatch::start();
  const u32 bytes = fills.bytes * fills.copies;
  u64 brought = 0;
  u32 issued = 0;
  for (; issued < kMostFills && *ended < TILECAST_WARPGROUPS; ++issued) {
    const u32 slot = issued % fills.slots;
    if (issued >= fills.slots) {
      ptx::mbarrier_wait_or_trap(barriers + slot * 8, (issued / fills.slots - 1) & 1);
      brought += bytes;
    }
    while (ptx::clock64_now() - watch.cycles < static_cast<u64>(issued) * fills.period &&
           *ended < TILECAST_WARPGROUPS) {
    }
    fills.start(issued, slots + slot * bytes, barriers + slot * 8);
  }
  const TimedSample sample = watch.stop(brought);
  for (u32 i = issued > fills.slots ? issued - fills.slots : 0; i < issued; ++i) {
    ptx::mbarrier_wait_or_trap(barriers + i % fills.slots * 8, i / fills.slots & 1);
  }
  return sample;
}

/// Shared memory: operands, slots of copies of `bytes`. A sample per warpgroup, then the fills'.
/// CTA i reads the i-th region of plain memory, or the rows of the map from `box_rows` i on.
extern "C" __global__ void __launch_bounds__(kComputing + 32)
    tilecast_wgmma_contention(const __grid_constant__ TensorMap map, u32 groups, u32 data,
                              const char* source, u32 region, i32 box_rows, u32 bytes, u32 copies,
                              u32 slots, u32 period, TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  __shared__ u32 ended;
  __shared__ __align__(8) u64 barriers[kMostSlots];
  if (threadIdx.x == 0) {
    ended = 0;
    SlotRing::init(barriers, slots);
  }
  fill_operands(dynamic, kOperandsBytes, static_cast<OperandData>(data));
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
    const Fills fills{source == nullptr ? &map : nullptr,
                      source + static_cast<u64>(blockIdx.x) * region,
                      region,
                      static_cast<i32>(blockIdx.x) * box_rows,
                      bytes,
                      copies,
                      slots,
                      period};
    mine[TILECAST_WARPGROUPS] =
        fill(fills, a + kOperandsBytes, ptx::shared_address(barriers), &ended);
  } else {
    mine[TILECAST_WARPGROUPS] = {1, 1, 0, ptx::smid(), 1};
  }
}

}  // namespace tilecast
