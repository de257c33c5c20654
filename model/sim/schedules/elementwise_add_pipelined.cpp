// kernels/stream/elementwise_add_pipelined.cu: copies run stages - 1 blocks ahead of the addition,
// one more while it waits.
#include "model/sim/schedules/stream_roles.h"

namespace tilecast {

Process elementwise_add_pipelined(StreamCta& cta) {
  const i32 stages = cta.stages();
  SimTime ready = cta.engine().now();
  u32 copy_index = cta.first();
  i32 copy_stage = 0, read_stage = 0;
  for (i32 i = 0; i < stages - 1; ++i) {
    if (copy_index < cta.end()) {
      co_await cta.engine().until(ready += cta.costs().copies);
      cta.load(copy_index, copy_stage);
    }
    copy_index = cta.next(copy_index);
    copy_stage = (copy_stage + 1) % stages;
  }
  for (u32 index = cta.first(); index < cta.end(); index = cta.next(index)) {
    co_await cta.engine().until(ready);
    if (copy_index < cta.end()) {
      co_await cta.engine().until(ready += cta.costs().copies);
      cta.load(copy_index, copy_stage);
    }
    copy_index = cta.next(copy_index);
    copy_stage = (copy_stage + 1) % stages;
    co_await cta.engine().until(cta.landed(read_stage));
    ready = cta.store(index, read_stage);
    read_stage = (read_stage + 1) % stages;
  }
  cta.finish(ready);
}

}  // namespace tilecast
