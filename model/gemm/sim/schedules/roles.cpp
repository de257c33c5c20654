#include "model/gemm/sim/schedules/roles.h"

#include "model/gemm/sim/kernel/reduction.h"
#include "model/gemm/sim/schedules/tile_source.h"

namespace tilecast {
namespace {

/// Whether, as on Blackwell, the producer warpgroup's first warp loads and its second one issues
/// MMAs.
bool issues_apart(Schedule schedule) {
  return uses_tcgen05(schedule) && has_producer_warpgroup(schedule);
}

/// Whether, as on Blackwell, the piece that takes over sums clears them.
bool clears_sums(const KernelConfig& config) {
  return splits_k(config.schedule) && !uses_tcgen05(config.schedule) &&
         config.decomposition.reduction == Reduction::kAtomic;
}

}  // namespace

i32 role_count(const KernelConfig& config) {
  const bool issues = issues_apart(config.schedule);
  return consumer_warpgroups(config.schedule, config.tiling) +
         (has_producer_warpgroup(config.schedule) ? 1 : 0) + (clears_sums(config) ? 1 : 0) +
         (issues ? 1 : 0) + (config.grid == Grid::kTakeover ? 1 : 0);
}

void start_roles(Cta& cta, SimTime at) {
  const KernelConfig& config = cta.kernel().config;
  if (issues_apart(config.schedule)) {
    const bool pieces = splits_k(config.schedule);
    cta.engine().spawn(pieces ? load_pieces(cta) : load_tiles(cta), {"loading warp", cta.id()}, at);
    cta.engine().spawn(pieces ? issue_pieces(cta) : issue_tiles(cta), {"issuing warp", cta.id()},
                       at);
  } else if (has_producer_warpgroup(config.schedule)) {
    cta.engine().spawn(splits_k(config.schedule) ? produce_pieces(cta) : produce(cta),
                       {"producer", cta.id()}, at);
  }
  if (config.grid == Grid::kTakeover) {
    cta.engine().spawn(ask_for_tiles(cta), {"asking warp", cta.id()}, at);
  }
  if (clears_sums(config)) {
    cta.engine().spawn(clear_sums(cta), {"clearing warps", cta.id()}, at);
  }
  const auto process = process_of(config.schedule);
  for (i32 i = 0; i < consumer_warpgroups(config.schedule, config.tiling); ++i) {
    cta.engine().spawn(process(cta, i), {"warpgroup", cta.id(), i}, at);
  }
}

}  // namespace tilecast
