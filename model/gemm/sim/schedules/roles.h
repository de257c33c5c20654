// Declares the roles of each schedule, as processes that a CTA starts. Each file corresponds to the
// kernel of the same name in kernels/gemm.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

Process small_mma(Cta& cta, i32 warpgroup);
Process blocked(Cta& cta, i32 warpgroup);
Process blocked_pipelined(Cta& cta, i32 warpgroup);
Process persistent(Cta& cta, i32 warpgroup);  // also the role of pipelined
Process persistent_overlap(Cta& cta, i32 warpgroup);
Process produce(Cta& cta);  // producer of warp_specialized and ping_pong
Process warp_specialized(Cta& cta, i32 warpgroup);
Process ping_pong(Cta& cta, i32 warpgroup);
Process produce_pieces(Cta& cta);  // producer of schedules that split K
Process consume_pieces(Cta& cta, i32 warpgroup);
Process tcgen05_persistent(Cta& cta, i32 warpgroup);  // also tcgen05_pipelined's
Process tcgen05_persistent_overlap(Cta& cta, i32 warpgroup);
Process load_tiles(Cta& cta);  // producer of tcgen05_warp_specialized
/// Issues one tile's K blocks `span.k_begin` to `span.k_end`, into accumulator set `to`.
Process issue_tile(Cta& cta, Warpgroup& issuer, Turn& to, TileSpan span);
Process issue_tiles(Cta& cta);
Process store_tiles(Cta& cta, i32 warpgroup);
Process load_pieces(Cta& cta);  // producer of tcgen05_split_k
Process issue_pieces(Cta& cta);
Process store_pieces(Cta& cta, i32 warpgroup);
Process multistage(Cta& cta, i32 warpgroup);
Process multistage_split_k(Cta& cta, i32 warpgroup);

/// Returns the process of the schedule's storing warpgroups.
constexpr auto process_of(Schedule schedule) -> Process (*)(Cta&, i32) {
  switch (schedule) {
    case Schedule::kSmallMma:
      return small_mma;
    case Schedule::kBlocked:
      return blocked;
    case Schedule::kBlockedPipelined:
      return blocked_pipelined;
    case Schedule::kPipelined:  // one tile per CTA
    case Schedule::kPersistent:
      return persistent;
    case Schedule::kPersistentOverlap:
      return persistent_overlap;
    case Schedule::kWarpSpecialized:
      return warp_specialized;
    case Schedule::kPingPong:
      return ping_pong;
    case Schedule::kSplitK:
    case Schedule::kSplitKHybrid:
    case Schedule::kStreamK:
    case Schedule::kStreamKHybrid:
      return consume_pieces;
    case Schedule::kTcgen05Pipelined:
    case Schedule::kTcgen05Persistent:
      return tcgen05_persistent;
    case Schedule::kTcgen05PersistentOverlap:
      return tcgen05_persistent_overlap;
    case Schedule::kTcgen05WarpSpecialized:
      return store_tiles;
    case Schedule::kTcgen05SplitK:
      return store_pieces;
    case Schedule::kMultistage:
      return multistage;
    case Schedule::kMultistageSplitK:
      return multistage_split_k;
  }
  return nullptr;  // not a schedule
}

/// Number of processes of one CTA.
i32 role_count(const KernelConfig& config);
/// Starts the roles; their first instructions are at `at`.
void start_roles(Cta& cta, SimTime at);

}  // namespace tilecast
