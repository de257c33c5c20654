// Loops over the K blocks of a tile or piece, shared by several schedules.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// kernels/device/consumer.cuh: a producer fills the stages. After the wgmmas of each K block, one
/// deferred chunk of the previous tile is stored, if any is left. On return the last wgmmas are
/// issued, but not complete; see drain.
Process multiply_stages(Cta& cta, Warpgroup& warpgroup, TileSpan& span, u32 k_blocks);

/// Waits for the wgmmas still in flight and releases their stages.
void drain(Cta& cta, Warpgroup& warpgroup, i32 unreleased);

/// Number of groups that multiply_stages leaves unreleased.
i32 left_in_flight(Cta& cta, u32 k_blocks);

}  // namespace tilecast
