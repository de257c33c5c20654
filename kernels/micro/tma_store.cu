// Key: stream.bulk_store, stream.bulk_read_out, machine.store_latency, machine.store_read.
//
// Method: one thread stores `bytes` from shared memory and waits until the source has been read.
// Addresses and size depend on the clock, so that moving them to uniform registers is part of the
// time (43 cycles), as in a kernel that goes from tile to tile. The slope over `bytes` is the rate
// of one SM. Waiting for the whole group instead (bulk_wait) takes 8 cycles more at every size, so
// it does not show when the writes arrive.
//
// Excludes: the proxy fence and barrier before a store; DRAM (the target stays in L2).
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_store(char* memory, u32 bytes, u32 rounds, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  for (u32 i = threadIdx.x; i < bytes / 4; i += 32) {
    reinterpret_cast<u32*>(dynamic)[i] = 0;
  }
  ptx::fence_proxy_async();
  __syncwarp();
  if (!ptx::elect_one()) {
    return;
  }
  const u32 buffer = ptx::shared_address(dynamic);
  char* target = memory + static_cast<u64>(blockIdx.x) * bytes;
  TimedSample read{0, 0, 0, ptx::smid(), 1};
  for (u32 round = 0; round <= rounds; ++round) {
    const Stopwatch watch = Stopwatch::start();
    const u32 zero =
        static_cast<u32>(watch.cycles >> 62);  // a zero that the compiler does not know
    ptx::bulk_store(target + zero, buffer + zero, bytes + zero);
    ptx::tma_store_commit();
    ptx::tma_store_wait_read<0>();
    const TimedSample source_free = watch.stop(1);
    ptx::bulk_wait<0>();
    if (round > 0) {
      read.add(source_free);
    }
  }
  samples[blockIdx.x] = read;
}

}  // namespace tilecast
