// kernels/device/tcgen05_loop.cuh: code shared by the tcgen05 kernels without specialized warps.
// The first warpgroup contains the warp that loads and issues; all warpgroups store.
#pragma once

#include "model/gemm/sim/kernel/cta.h"
#include "model/gemm/sim/kernel/tcgen05_epilogue.h"
#include "model/gemm/sim/kernel/tcgen05_steps.h"

namespace tilecast {

/// State of one warpgroup of such a kernel: its time, and the accumulators that it issues to and
/// stores from.
struct Tcgen05Warpgroup {
  Tcgen05Warpgroup(Cta& cta, i32 index)
      : wg{.index = index, .part = index, .ready = cta.engine().now()} {}

  bool issues() const { return wg.part == 0; }

  Warpgroup wg;
  Turn issued, stored;
};

/// Runs a tile without loads ahead; for the issuing warpgroup.
Process run_tcgen05_tile(Cta& cta, Tcgen05Warpgroup& self, TileCoord tile);

}  // namespace tilecast
