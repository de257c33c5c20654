// kernels/device/tcgen05_loop.cuh: what the tcgen05 kernels without specialised warps share. Of
// their warpgroups the first has the warp that loads and issues; all of them store.
#pragma once

#include "model/gemm/sim/kernel/cta.h"
#include "model/gemm/sim/kernel/tcgen05_epilogue.h"
#include "model/gemm/sim/kernel/tcgen05_steps.h"

namespace tilecast {

/// One warpgroup of such a kernel: its time, and the places that it issues to and stores from.
struct Tcgen05Warpgroup {
  Tcgen05Warpgroup(Cta& cta, i32 index)
      : wg{.index = index, .part = index, .ready = cta.engine().now()} {}

  bool issues() const { return wg.part == 0; }

  Warpgroup wg;
  Turn issued, stored;
};

/// By the warpgroup that issues: a tile whose loads are all its own.
Process run_tcgen05_tile(Cta& cta, Tcgen05Warpgroup& self, TileCoord tile);

}  // namespace tilecast
