// Key: stream.cta_refill, machine.cta_refill, stream.cta_launch and machine.dispatch (launch rate),
// machine.graph_launch, machine.stream_launch, clusters.max_active_of_2, clusters.max_active_of_4,
// clusters.max_active_of_8, machine.gpcs (order in which CTAs fill SMs).
//
// Method: each CTA records both clocks at its start and end, and its SM, after spinning for `spin`
// cycles. Many empty CTAs give the launch rate; CTAs that fill an SM and spin give the time from
// the end of one to the start of the next on that SM. Kernels of one CTA, in a CUDA graph and in a
// stream that always has work, give the time from the start of one to the start of the next.
//
// Excludes: the code before the first time stamp (a few instructions); barrier initialization of a
// real kernel.
#include "kernels/micro/cta_stamp.h"
#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(1024) tilecast_cta_launch(u32 spin, CtaStamp* stamps) {
  const u64 begin_cycles = ptx::clock64_now();
  const u64 begin_ns = ptx::globaltimer();
  while (ptx::clock64_now() - begin_cycles < spin) {
  }
  if (threadIdx.x == 0) {
    stamps[blockIdx.x] = {begin_cycles,       ptx::clock64_now(), begin_ns,
                          ptx::globaltimer(), ptx::smid(),        1};
  }
}

}  // namespace tilecast
