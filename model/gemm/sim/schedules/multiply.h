// The loops over the K blocks of one tile, or piece of one, that several schedules share.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// kernels/device/consumer.cuh: a producer fills the stages. Behind the wgmmas of each K block goes
/// a chunk of the tile before, while any waits. The last wgmmas are issued, but not
/// complete, when it ends; see drain.
Process multiply_stages(Cta& cta, Warpgroup& warpgroup, TileSpan& span, u32 k_blocks);

/// Waits for the wgmmas still in flight and releases their stages.
void drain(Cta& cta, Warpgroup& warpgroup, i32 unreleased);

/// Groups that multiply_stages leaves unreleased.
i32 left_in_flight(Cta& cta, u32 k_blocks);

}  // namespace tilecast
