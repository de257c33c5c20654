// Key: power.per_shared_memory_byte; the bandwidth of shared memory.
//
// Method: every thread repeatedly reads 16 bytes of shared memory, without conflicts.
//
// Excludes: tensor cores, which read through another path; writes.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/volatile_access.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(1024)
    tilecast_shared_read(u32 turns, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  constexpr u32 kUnroll = 8;
  const u32 bytes = blockDim.x * 16;
  for (u32 i = threadIdx.x; i < bytes / 4 * kUnroll; i += blockDim.x) {
    reinterpret_cast<u32*>(dynamic)[i] = (i + 1) * 2654435761u;
  }
  __syncthreads();
  const u32 mine = ptx::shared_address(dynamic) + threadIdx.x * 16;
  u32 mixed = 0;
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < turns; ++i) {
#pragma unroll
    for (u32 j = 0; j < kUnroll; ++j) {
      // volatile, since the compiler would otherwise merge the loads of all iterations
      mixed ^= ptx::load_shared_volatile_folded(mine + j * bytes);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && mixed != 1) {  // practically always true
    samples[blockIdx.x] = watch.stop(static_cast<u64>(turns) * kUnroll * bytes);
  }
}

}  // namespace tilecast
