// Key: stream.cta_refill, machine.cta_refill, stream.cta_launch and
// machine.dispatch (the rate of starts), clusters.max_active_of_2, clusters.max_active_of_4,
// clusters.max_active_of_8, machine.gpcs (CTAs fill one after the other).
//
// Method: each CTA stamps its begin and its end by both clocks and says where it ran, after
// spinning for `spin` cycles. Many empty CTAs give the rate; CTAs that fill an SM and spin give the
// time from one's end to the next one's begin on that SM.
//
// Excludes: the code before the first stamp (a few instructions); barrier set-up of a real kernel.
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
