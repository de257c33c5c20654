#include "model/gemm/sim/schedules/tile_source.h"

#include <algorithm>

#include "model/gemm/sim/kernel/dispatcher.h"

namespace tilecast {

Process TileSource::next(Warpgroup& role) {
  if (!takes_over()) {
    linear_ = cta_.next_tile(linear_);
    role.ready += cta_.costs().tile.find;
    co_return;
  }
  const std::size_t place = static_cast<std::size_t>(answer_.index);
  co_await cta_.tcgen05().answer_full[place].wait(answer_.use, role.ready, {});
  role.ready = std::max(role.ready, cta_.engine().now()) + cta_.costs().tile.find;
  linear_ = cta_.tcgen05().answers[place];
  cta_.leader().tcgen05().answer_empty[place].arrive(role.ready + cta_.costs().load.wake);
  answer_.advance(kLaunchAnswers);
}

Process ask_for_tiles(Cta& cta) {
  Warpgroup wg{.ready = cta.engine().now()};
  GemmKernel& kernel = cta.kernel();
  Turn at;
  bool more = cta.leads();
  while (more) {
    const std::size_t place = static_cast<std::size_t>(at.index);
    PhaseBarrier& empty = cta.tcgen05().answer_empty[place];
    if (at.use > 0) {
      co_await empty.wait(at.use - 1, wg.ready, {});
    } else {
      co_await empty.passed(wg.ready, {});
    }
    const SimTime now = cta.engine().now();
    const u32 tile = kernel.dispatcher->any() ? kernel.dispatcher->take() : kNoTile;
    const SimTime there = kernel.chip.launch_control.serve(now, cta.costs().launch.dispatch) +
                          cta.costs().tensor_memory.answer;
    for (Cta* member : cta.group()) {
      member->tcgen05().answers[place] = tile;
      member->tcgen05().answer_full[place].arrive(there);
    }
    more = tile != kNoTile;
    wg.ready = there;
    at.advance(kLaunchAnswers);
  }
  cta.finish(wg);
}

}  // namespace tilecast
