// kernels/stream/elementwise_add_tma.cu: one thread keeps a ring of stages full, all threads add,
// and C leaves from its stage, which is loaded again one block later.
#include "model/sim/schedules/stream_roles.h"

namespace tilecast {

Process elementwise_add_tma(StreamCta& cta) {
  const i32 stages = cta.stages();
  u32 load_index = cta.first();
  for (i32 stage = 0; stage < stages && load_index < cta.end(); ++stage) {
    cta.load(load_index, stage);
    load_index = cta.next(load_index);
  }
  i32 at = 0, previous = -1;
  SimTime ready = cta.engine().now();
  for (u32 index = cta.first(); index < cta.end(); index = cta.next(index)) {
    co_await cta.engine().until(cta.landed(at));
    cta.bulk_store(index, at);
    ready = cta.read_out(at);
    if (previous >= 0 && load_index < cta.end()) {
      co_await cta.engine().until(cta.read_out(previous));
      cta.load(load_index, previous);
      load_index = cta.next(load_index);
    }
    previous = at;
    at = (at + 1) % stages;
  }
  cta.finish(ready);
}

}  // namespace tilecast
