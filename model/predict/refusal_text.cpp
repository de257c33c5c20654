// Refusals of legality.h in the words of who asked for the configuration.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/predict/legality.h"
#include "model/spec/load_gpu.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/result_rules.h"
#include "model/tile/smem_layout.h"
#include "model/tile/swapped_operands.h"

namespace tilecast {
namespace {

struct Change {
  std::string what;
  KernelConfig config;
};

/// Of one key each; of a number the largest first.
std::vector<Change> changes_of(const KernelConfig& config) {
  std::vector<Change> changes;
  const auto lower = [&](i32 KernelConfig::*member, i32 least, const char* what) {
    for (i32 value = config.*member - 1; value >= least; --value) {
      KernelConfig changed = config;
      changed.*member = value;
      changes.push_back({fmt::format("needs {} of at most {}", what, value), changed});
    }
  };
  constexpr i32 kMostTried = 64;
  for (i32 stages = std::min(config.tiling.stages - 1, kMostTried); stages >= 1; --stages) {
    KernelConfig changed = config;
    changed.tiling.stages = stages;
    changes.push_back(
        {fmt::format("needs at most {} stage{}", stages, stages == 1 ? "" : "s"), changed});
  }
  if (config.ctas_per_sm <= kMostTried) {
    lower(&KernelConfig::ctas_per_sm, 1, "ctas");
  }
  if (config.inflight <= kMostTried) {
    lower(&KernelConfig::inflight, 0, "inflight");
  }
  const auto other = [&](std::string what, const auto& change) {
    KernelConfig changed = config;
    change(changed);
    changes.push_back({std::move(what), changed});
  };
  other("needs cluster=1x1", [](KernelConfig& c) { c.tiling.cluster_m = c.tiling.cluster_n = 1; });
  other("needs a slot of C of its own (c_slots=1)", [](KernelConfig& c) { c.tiling.c_slots = 1; });
  other("needs grid=resident", [](KernelConfig& c) { c.grid = Grid::kResident; });
  other("needs walk=strided", [](KernelConfig& c) { c.raster.walk = Walk::kStrided; });
  for (const i32 registers : {40, 32, 24}) {
    other(fmt::format("needs producer={}", registers),
          [&](KernelConfig& c) { c.producer_registers = registers; });
  }
  return changes;
}

/// K of a tile: 64 bytes, or whole swizzle rows of 128.
bool has_k_blocks(const Tiling& tiling) {
  return tiling.block_k == kSlabElements / 2 || tiling.block_k % kSlabElements == 0;
}

bool exceeds(const GemmShape& shape, const Tiling& tile) {
  return shape.m > tile.block_m || shape.n > tile.block_n || shape.k > tile.block_k;
}

/// `problem` and `config` in the machine's elements.
std::string reason_of(Refusal refusal, const GpuSpec& gpu, const GemmProblem& problem,
                      const KernelConfig& config) {
  const bool tcgen05 = uses_tcgen05(config.schedule);
  switch (refusal) {
    case Refusal::kArchitecture:
      return fmt::format("{} schedules are for {}, this GPU is {}", tcgen05 ? "tcgen05" : "wgmma",
                         tcgen05 ? "blackwell" : "hopper", to_text(gpu.architecture));
    case Refusal::kSchedule:
      if (config.operands == OperandOrder::kSwapped && !can_swap_operands(problem, config)) {
        return "operands=swapped takes layouts tn and nn, N in whole 8, one product without an "
               "epilogue, and no store=deferred";
      }
      if (problem.groups != nullptr && !walks_groups(config)) {
        return "groups are walked by warp_specialized with grid=resident and by ping_pong";
      }
      if (has_block_scales(problem.epilogue) && !takes_block_scales(config)) {
        return "block scales are taken by warp_specialized and ping_pong with K blocks of 128, two "
               "stages or more, up to 256 columns, inflight=0 and without store=deferred";
      }
      if (promotes(problem) && !can_promote(config)) {
        return "sums are exact in schedules that have a producer warpgroup, with K blocks of 128, "
               "two stages or more, up to 256 columns, inflight=0 and without store=deferred";
      }
      if (!takes_result(config, c_type(problem), problem.epilogue)) {
        return problem.epilogue.amax && splits_k(config.schedule)
                   ? "amax is of tiles that are not split along K"
               : !registers_hold_result(config, c_type(problem), problem.epilogue)
                   ? "its sums leave no registers for a residual or amax"
                   : fmt::format(
                         "C in {} takes warpgroups of whole 16 columns, and more than 16 "
                         "bits a column no store=deferred",
                         to_text(c_type(problem)));
      }
      if (problem.leading.c != 0 && splits_k(config.schedule)) {
        return fmt::format("{} writes tight rows of C", to_text(config.schedule));
      }
      if (tcgen05 && problem.layout != Layout::kTn) {
        return "tcgen05 schedules take layout tn only";
      }
      if (config.a_source == OperandSource::kRegisters && !a_is_k_major(problem.layout)) {
        return fmt::format("a=registers takes A as [M,K], not layout {}", to_text(problem.layout));
      }
      if (traits_of(config.schedule).one_k_block && problem.batch.products > 1) {
        return fmt::format("{} computes one product, not a batch of {}", to_text(config.schedule),
                           problem.batch.products);
      }
      if (traits_of(config.schedule).one_k_block && exceeds(problem.shape, config.tiling)) {
        return fmt::format("{} computes one tile with one K block, and the problem is larger",
                           to_text(config.schedule));
      }
      return fmt::format("{} does not take these settings", to_text(config.schedule));
    case Refusal::kWgmmaShape:
      if (!tcgen05 && !has_k_blocks(config.tiling)) {
        const i32 elements = kSlabElements * k_elements(problem.dtype);
        return fmt::format("a tile's K is {} or a multiple of {} elements of {}", elements / 2,
                           elements, to_text(problem.dtype));
      }
      if (!tcgen05 && in_odd_eights(config.tiling)) {
        return fmt::format(
            "warpgroups of {} columns, an odd multiple of 8, take 24 to 248 columns, B as [N,K], a "
            "schedule with a ring and K in whole {} elements",
            warpgroup_columns(config.tiling), kSlabElements * k_elements(problem.dtype));
      }
      return fmt::format("the tile is not made of whole {} instructions",
                         tcgen05 ? "MMA" : "wgmma");
    case Refusal::kTmaBox:
      return "a TMA box of this tile and cluster is too large or breaks the swizzle";
    case Refusal::kRegisters:
      return "its threads need more registers than there are";
    case Refusal::kSharedMemory:
      return "its stages and C do not fit in shared memory";
    case Refusal::kOccupancy:
      return fmt::format("{} such CTAs do not fit on an SM", config.ctas_per_sm);
    case Refusal::kTensorMemory:
      return "its accumulators do not fit in tensor memory";
    case Refusal::kCluster:
      return fmt::format("there is no cluster of {}x{} CTAs", config.tiling.cluster_m,
                         config.tiling.cluster_n);
    case Refusal::kSplit:
      return why_no_split_exists(gpu, problem, config);
    case Refusal::kCompiler:
      return "the compiler is known to spill its registers or to serialize its MMAs";
    default:
      return std::string(to_text(refusal));
  }
}

}  // namespace

std::string describe_refusal(Refusal refusal, const GpuSpec& gpu, const GemmProblem& problem,
                             const KernelConfig& config) {
  const std::string reason =
      reason_of(refusal, gpu, in_pairs(problem), in_pairs(problem.dtype, config));
  if (refusal == Refusal::kArchitecture || refusal == Refusal::kSplit) {
    return reason;
  }
  for (const auto& [what, changed] : changes_of(config)) {
    if (check_legal(gpu, problem, changed) == Refusal::kNone) {
      return fmt::format("{}; {}", reason, what);
    }
  }
  return reason;
}

}  // namespace tilecast
