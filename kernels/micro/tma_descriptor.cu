// Key: machine.first_load (the part of it that fetches the tensor map).
//
// Method: one thread loads a box through each of `count` tensor maps in turn, one load at a time,
// all of the same bytes, which lie in L2; the maps lie in global memory and were never used by this
// kernel. `before` says what it does with them first, untimed: nothing; read them, which brings
// them to L2; prefetch them and wait. With `again` all loads use the first map, which has been
// used.
//
// Excludes: maps among the kernel's parameters (constant bank); the data's way from DRAM.
#include "kernels/gemm/gemm_args.h"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/volatile_access.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

enum class BeforeUse : u32 { kNothing, kRead, kPrefetch };

/// maps: one to warm up with, then `count`.
extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_descriptor(const TensorMap* maps, u32 count, u32 bytes, u32 before, u32 again,
                            TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  __shared__ __align__(8) u64 barrier_word;
  if (!ptx::elect_one()) {
    return;
  }
  const u32 barrier = ptx::shared_address(&barrier_word);
  const u32 buffer = ptx::shared_address(dynamic);
  ptx::mbarrier_init(barrier, 1);
  ptx::fence_mbarrier_init();
  u32 phase = 0;
  const auto load = [&](const TensorMap* map) {
    ptx::mbarrier_arrive_expect_tx(barrier, bytes);
    ptx::tma_load_2d(buffer, map, 0, 0, barrier);
    ptx::mbarrier_wait_or_trap(barrier, phase);
    phase ^= 1;
  };
  constexpr u32 kWarmUp = 4;
  for (u32 i = 0; i < kWarmUp; ++i) {
    load(maps);
  }
  if (before == static_cast<u32>(BeforeUse::kRead)) {
    u64 mixed = 0;
    for (u32 i = 1; i <= count; ++i) {
      mixed += ptx::load_volatile_64(maps + i);
    }
    asm volatile("" ::"l"(mixed) : "memory");
  } else if (before == static_cast<u32>(BeforeUse::kPrefetch)) {
    for (u32 i = 1; i <= count; ++i) {
      ptx::prefetch_tensor_map(maps + i);
    }
  }
  constexpr u64 kPatience = 20000;  // cycles, for what was asked for above
  for (const u64 since = ptx::clock64_now(); ptx::clock64_now() - since < kPatience;) {
  }
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 1; i <= count; ++i) {
    load(again != 0 ? maps : maps + i);
  }
  samples[blockIdx.x] = watch.stop(count);
}

}  // namespace tilecast
