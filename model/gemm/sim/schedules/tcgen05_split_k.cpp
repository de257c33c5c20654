// kernels/gemm/tcgen05_split_k.cu: the roles of tcgen05_warp_specialized, over pieces of tiles
// (model/gemm/order/work_decomposition.h). The storing warps of the piece with the end of K add the
// partial sums of the others and store C.
#include "model/gemm/sim/kernel/reduction.h"
#include "model/gemm/sim/kernel/tcgen05_epilogue.h"
#include "model/gemm/sim/kernel/tcgen05_steps.h"
#include "model/gemm/sim/schedules/producer.h"
#include "model/gemm/sim/schedules/roles.h"

namespace tilecast {

Process load_pieces(Cta& cta) {
  Warpgroup wg{.ready = cta.engine().now()};
  const WorkDecomposition& work = cta.kernel().work;
  for (WorkPiece p = cta.first_piece(); work.valid(p); p = cta.next_piece(p)) {
    co_await load_k_blocks(cta, wg, cta.tile_at(p.tile), static_cast<u32>(p.k_begin),
                           static_cast<u32>(p.k_end), {.k_begin = p.k_begin, .k_end = p.k_end});
  }
  cta.finish(wg);
}

Process issue_pieces(Cta& cta) {
  Warpgroup wg{.ready = cta.engine().now()};
  const WorkDecomposition& work = cta.kernel().work;
  Turn to;
  for (WorkPiece p = cta.first_piece(); cta.leads() && work.valid(p); p = cta.next_piece(p)) {
    co_await issue_tile(cta, wg, to, {.k_begin = p.k_begin, .k_end = p.k_end});
  }
  cta.finish(wg);
}

Process store_pieces(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  const WorkDecomposition& work = cta.kernel().work;
  Turn from;
  for (WorkPiece p = cta.first_piece(); work.valid(p); p = cta.next_piece(p)) {
    const TileCoord tile = cta.tile_at(p.tile);
    if (!work.is_whole(p)) {
      const std::size_t place = static_cast<std::size_t>(from.index);
      co_await cta.tcgen05().accumulator_full[place].wait(from.use, wg.ready, {});
      wg.ready = cta.engine().now();
      TileSpan& span = cta.leader().tcgen05().spans[place];
      span.multiplied = wg.ready;
      if (!work.owns(p)) {
        co_await hand_on(cta, wg, {p, tile, span});
        cta.leader().tcgen05().accumulator_empty[place].arrive(wg.ready);
        from.advance(cta.kernel().config.accumulators);
        continue;
      }
      co_await take_over(cta, wg, {p, tile, span});
    }
    co_await store_accumulator(cta, wg, tile, from);
  }
  cta.finish(wg);
}

}  // namespace tilecast
