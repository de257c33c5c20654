// kernels/stream/elementwise_add.cu and memcpy.cu: plain loads of a block, then its stores.
#include "model/sim/schedules/stream_roles.h"

namespace tilecast {

Process elementwise_add(StreamCta& cta) {
  SimTime ready = cta.engine().now();
  for (u32 index = cta.first(); index < cta.end(); index = cta.next(index)) {
    co_await cta.engine().until(ready);
    cta.load(index, 0);
    co_await cta.engine().until(cta.landed(0));
    ready = cta.store(index, 0);
  }
  cta.finish(ready);
}

}  // namespace tilecast
