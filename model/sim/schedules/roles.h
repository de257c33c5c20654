// The roles of each schedule: processes that a CTA starts. One file for each, to be laid beside the
// kernel of the same name in kernels/gemm.
#pragma once

#include "model/sim/cta.h"

namespace tilecast {

Process small_mma(Cta& cta, i32 warpgroup);
Process blocked(Cta& cta, i32 warpgroup);
Process blocked_pipelined(Cta& cta, i32 warpgroup);
Process pipelined(Cta& cta, i32 warpgroup);
Process persistent(Cta& cta, i32 warpgroup);
Process persistent_overlap(Cta& cta, i32 warpgroup);
Process produce(Cta& cta);  // of warp_specialized and ping_pong
Process warp_specialized(Cta& cta, i32 warpgroup);
Process ping_pong(Cta& cta, i32 warpgroup);
Process produce_pieces(Cta& cta);  // of the schedules that split K
Process consume_pieces(Cta& cta, i32 warpgroup);
Process tcgen05_pipelined(Cta& cta, i32 warpgroup);
Process tcgen05_persistent(Cta& cta, i32 warpgroup);
Process tcgen05_persistent_overlap(Cta& cta, i32 warpgroup);
Process load_tiles(Cta& cta);  // of tcgen05_warp_specialized
Process issue_tiles(Cta& cta);
Process store_tiles(Cta& cta, i32 warpgroup);

/// Processes of one CTA.
i32 role_count(const KernelConfig& config);
/// Spawns them, with their first instructions at `at`.
void start_roles(Cta& cta, SimTime at);

}  // namespace tilecast
