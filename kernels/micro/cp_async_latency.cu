// Key: stream.load_latency of cp.async where it hits L2 (latency and issue).
//
// Method: one warp starts `count` copies of 16 bytes per lane from L2, commits and waits; the time
// at one copy is the latency, the slope over `count` what each further copy takes.
//
// Excludes: address arithmetic of a real kernel; DRAM.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/mbarrier.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_cp_async_latency(const char* memory, u32 count, u32 rounds, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  constexpr u32 kWarpBytes = 32 * 16;
  const u32 lane = threadIdx.x;
  const u32 buffer = ptx::shared_address(dynamic) + lane * 16;
  const char* source = memory + blockIdx.x * count * kWarpBytes + lane * 16;
  const auto round = [&] {
    for (u32 i = 0; i < count; ++i) {
      ptx::cp_async<16>(buffer + i * kWarpBytes, source + i * kWarpBytes, 16);
    }
    ptx::cp_async_commit();
    ptx::cp_async_wait<0>();
    __syncwarp();
  };
  round();
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < rounds; ++i) {
    round();
  }
  if (lane == 0) {
    samples[blockIdx.x] = watch.stop(rounds);
  }
}

}  // namespace tilecast
