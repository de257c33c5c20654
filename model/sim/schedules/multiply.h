// The loops over the K blocks of one tile that several schedules share.
#pragma once

#include "model/sim/cta.h"

namespace tilecast {

/// kernels/device/consumer.cuh: a producer fills the stages. The last wgmmas are issued, but not
/// complete, when it ends; see drain.
Process multiply_stages(Cta& cta, Warpgroup& warpgroup, TileSpan& span);

/// Waits for the wgmmas still in flight and releases their stages.
void drain(Cta& cta, Warpgroup& warpgroup, i32 unreleased);

/// Groups that multiply_stages leaves unreleased.
i32 left_in_flight(Cta& cta);

}  // namespace tilecast
