// What k_block_loop.cu notes of each K block.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// Cycles of the SM's clock.
struct KBlockMark {
  u64 waits;        // the warpgroup is ready for the K block's operands
  u64 operands;     // it has seen them
  u64 issued;       // its wgmmas are issued
  u64 waited;       // those that it waits for before it releases a stage are done
  u64 load_free;    // the loading warp has seen that the stage is free
  u64 load_issued;  // its loads are issued
};

}  // namespace tilecast
