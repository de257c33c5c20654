// Key: power.per_l2_byte, near and far; what SMs read from the near half of L2 and from the far
// one.
//
// Method: every SM reads whole lines again and again, past L1, from a list that the host chose for
// it by latency (l2_latency.cu): those nearer to it than to SMs of the other side, or the others.
// SMs start at different places of their list, so that few requests meet.
//
// Excludes: copies by the engine; DRAM (all lines together are a small part of L2).
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/volatile_access.cuh"

namespace tilecast {

constexpr u32 kLineBytes = 128;
constexpr u32 kUnroll = 4;

/// lists: `count` (a power of two) offsets in bytes each; list_of_sm by smid.
extern "C" __global__ void __launch_bounds__(1024)
    tilecast_l2_lines(const char* memory, const u32* lists, u32 count, const u32* list_of_sm,
                      u32 turns, u32* counter, TimedSample* samples) {
  extern __shared__ u32 list[];
  const u32 sm = ptx::smid();
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
    list[i] = lists[list_of_sm[sm] * count + i];
  }
  bool together = true;
  if (threadIdx.x == 0) {
    together = wait_for_grid(counter);
  }
  __syncthreads();
  constexpr u32 kLanes = kLineBytes / 16;  // to a line
  const char* mine = memory + threadIdx.x % kLanes * 16;
  const u32 groups = blockDim.x / kLanes;
  u32 at = threadIdx.x / kLanes + sm * 61;
  u32 mixed = 0;
  const Stopwatch watch = Stopwatch::start();
  for (u32 turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (u32 i = 0; i < kUnroll; ++i) {
      mixed ^= ptx::load_volatile_folded(mine + list[(at + i * groups) & (count - 1)]);
    }
    at += kUnroll * groups;
  }
  __syncthreads();
  if (threadIdx.x == 0 && together && mixed != 1) {  // practically always
    samples[blockIdx.x] = watch.stop(static_cast<u64>(turns) * kUnroll * groups * kLineBytes);
  }
}

}  // namespace tilecast
