#include "model/sim/schedules/roles.h"

#include "model/sim/reduction.h"

namespace tilecast {
namespace {

Process consumer(Cta& cta, i32 warpgroup) {
  switch (cta.machine().config.schedule) {
    case Schedule::kSmallMma:
      return small_mma(cta, warpgroup);
    case Schedule::kBlocked:
      return blocked(cta, warpgroup);
    case Schedule::kBlockedPipelined:
      return blocked_pipelined(cta, warpgroup);
    case Schedule::kPipelined:
      return pipelined(cta, warpgroup);
    case Schedule::kPersistent:
      return persistent(cta, warpgroup);
    case Schedule::kPersistentOverlap:
      return persistent_overlap(cta, warpgroup);
    case Schedule::kWarpSpecialized:
      return warp_specialized(cta, warpgroup);
    case Schedule::kPingPong:
      return ping_pong(cta, warpgroup);
    case Schedule::kSplitK:
    case Schedule::kSplitKHybrid:
    case Schedule::kStreamK:
    case Schedule::kStreamKHybrid:
      return consume_pieces(cta, warpgroup);
    case Schedule::kTcgen05Pipelined:
    case Schedule::kTcgen05Persistent:
    case Schedule::kTcgen05PersistentOverlap:
    case Schedule::kTcgen05WarpSpecialized:
      break;  // simulate_gemm refuses them
  }
  assertion_failed("a schedule without processes");
}

bool clears_sums(const KernelConfig& config) {
  return splits_k(config.schedule) && config.decomposition.reduction == Reduction::kAtomic;
}

}  // namespace

i32 role_count(const KernelConfig& config) {
  return consumer_warpgroups(config.schedule, config.tiling) +
         (has_producer_warpgroup(config.schedule) ? 1 : 0) + (clears_sums(config) ? 1 : 0);
}

void start_roles(Cta& cta, SimTime at) {
  const KernelConfig& config = cta.machine().config;
  if (has_producer_warpgroup(config.schedule)) {
    cta.engine().spawn(splits_k(config.schedule) ? produce_pieces(cta) : produce(cta),
                       {"producer", cta.id()}, at);
  }
  if (clears_sums(config)) {
    cta.engine().spawn(clear_sums(cta), {"clearing warps", cta.id()}, at);
  }
  for (i32 i = 0; i < consumer_warpgroups(config.schedule, config.tiling); ++i) {
    cta.engine().spawn(consumer(cta, i), {"warpgroup", cta.id(), i}, at);
  }
}

}  // namespace tilecast
