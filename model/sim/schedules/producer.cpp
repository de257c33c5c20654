// kernels/device/producer.cuh: one thread keeps the ring of stages full, across tile boundaries.
#include "model/sim/schedules/roles.h"

namespace tilecast {

Process produce(Cta& cta) {
  Warpgroup wg{.ready = cta.engine().now()};
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t)) {
    const TileCoord tile = cta.tile_at(t);
    for (u32 k_block = 0; k_block < cta.k_blocks(); ++k_block) {
      co_await cta.wait_empty(wg);
      cta.load_k_block(wg, tile, k_block);
    }
  }
  cta.finish(wg);
}

}  // namespace tilecast
