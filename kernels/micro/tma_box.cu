// Key: machine.outside (out-of-bounds rows).
//
// Method: on every SM with a task, one thread keeps `slots` iterations in flight. Each iteration
// loads one box of a tensor map `boxes` times with one barrier, and walks cyclically along the
// matrix columns of its `range`. All boxes start in row `row`; rows beyond the matrix arrive as
// zeros. With several boxes per iteration the time to issue it (199 cycles in tma_ring.cu) does not
// count.
//
// Excludes: consumers; DRAM (the matrix is in L2).
#include "kernels/gemm/gemm_args.h"
#include "kernels/micro/slot_ring.cuh"
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr u32 kBoxColumns = 64;  // columns of 16 bits that fill a swizzle row

/// The task's group selects the range; `first` and `step` count iterations. bytes: size of one box.
extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_box(const __grid_constant__ TensorMap map, u32 bytes, u32 boxes, u32 slots,
                     u32 turns, u32 range, i32 row, const SmTask* tasks, u32* counter,
                     TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  __shared__ __align__(8) u64 barriers[kMostSlots];
  if (!ptx::elect_one()) {
    return;
  }
  const u32 buffer = ptx::shared_address(dynamic);
  const SlotRing ring = SlotRing::init(barriers, slots);
  ptx::prefetch_tensor_map(&map);
  const SmTask task = tasks[ptx::smid()];
  if (!wait_for_grid(counter)) {
    return;
  }
  if (task.active == 0) {
    samples[blockIdx.x] = {0, 0, 0, ptx::smid(), 1};
    return;
  }
  const u32 stride = task.step * boxes * kBoxColumns;
  u32 column = task.first * boxes * kBoxColumns % range;
  const auto issue = [&](u32 slot) {
    const u32 barrier = ring.barrier(slot);
    ptx::mbarrier_arrive_expect_tx(barrier, bytes * boxes);
    for (u32 box = 0; box < boxes; ++box) {
      ptx::tma_load_2d(buffer + (slot * boxes + box) * bytes, &map,
                       static_cast<i32>(task.group * range + column + box * kBoxColumns), row,
                       barrier);
    }
    column += stride;
    column = column >= range ? column % range : column;
  };
  const Stopwatch watch = Stopwatch::start();
  ring.run(turns, issue);
  samples[blockIdx.x] = watch.stop(static_cast<u64>(turns) * boxes);
}

}  // namespace tilecast
