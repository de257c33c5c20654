// kernels/gemm/stream_k.cu: split-K, stream-K and their hybrids. Like warp_specialized, but over
// pieces of tiles (model/gemm/order/work_decomposition.h): consumers of the piece with the end of K
// add the partial sums of the others and store C.
#include "model/gemm/sim/kernel/reduction.h"
#include "model/gemm/sim/schedules/multiply.h"
#include "model/gemm/sim/schedules/producer.h"
#include "model/gemm/sim/schedules/roles.h"

namespace tilecast {

Process produce_pieces(Cta& cta) {
  Warpgroup wg{.index = kProducerRole, .ready = cta.engine().now()};
  const WorkDecomposition& work = cta.kernel().work;
  for (WorkPiece p = cta.first_piece(); work.valid(p); p = cta.next_piece(p)) {
    wg.ready += cta.costs().tile.find;
    co_await load_k_blocks(cta, wg, cta.tile_at(p.tile), static_cast<u32>(p.k_begin),
                           static_cast<u32>(p.k_end), {.k_begin = p.k_begin, .k_end = p.k_end});
  }
  cta.finish(wg);
}

Process consume_pieces(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  const WorkDecomposition& work = cta.kernel().work;
  for (WorkPiece p = cta.first_piece(); work.valid(p); p = cta.next_piece(p)) {
    const TileCoord tile = cta.tile_at(p.tile);
    const u32 k_blocks = static_cast<u32>(p.k_blocks());
    TileSpan span{.k_begin = p.k_begin, .k_end = p.k_end};
    co_await multiply_stages(cta, wg, span, k_blocks);
    drain(cta, wg, left_in_flight(cta, k_blocks));
    wg.ready += cta.costs().tile.find;
    span.multiplied = wg.ready;
    co_await finish_piece(cta, wg, {p, tile, span});
  }
  cta.finish(wg);
}

}  // namespace tilecast
