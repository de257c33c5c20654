// Key: stream.turn (its shared-memory load), power.static_power (while other SMs are awake); the
// reference for rates that follow the SM clock.
//
// Method: one thread follows a chain of loads, where each address is the value of the previous
// load.
//
// Excludes: bank conflicts, other warps.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/vector_access.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_shared_latency(u32 loads, TimedSample* samples) {
  constexpr u32 kWords = 256;
  __shared__ u32 chain[kWords];
  if (threadIdx.x != 0) {
    return;
  }
  for (u32 i = 0; i < kWords; ++i) {
    chain[i] = ptx::shared_address(&chain[(i + 1) % kWords]);
  }
  u32 at = ptx::shared_address(chain);
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < loads; ++i) {
    at = ptx::load_shared<4>(at).word[0];
  }
  if (at != 0) {  // always true
    samples[blockIdx.x] = watch.stop(loads);
  }
}

}  // namespace tilecast
