#include "model/gemm/sim/kernel/sum_plan.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/tensor_memory.h"

namespace tilecast {
namespace {

std::vector<std::vector<i32>> begins_of_pieces(const WorkDecomposition& work) {
  std::vector<std::vector<i32>> begins(work.streamed);
  for (u32 worker = 0; worker < work.workers; ++worker) {
    for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
      if (p.tile < work.streamed) {
        begins[p.tile].push_back(p.k_begin);
      }
    }
  }
  for (std::vector<i32>& of_tile : begins) {
    std::sort(of_tile.begin(), of_tile.end());
  }
  return begins;
}

/// As in take_over and sum_share of kernels/device/reduction.cuh: sums are read in groups of four,
/// as many at a time as registers allow, and a share is read from several partial sums at a time.
/// On Blackwell it is as many as columns come from tensor memory at a time.
i32 turns_of_reading(const KernelConfig& config, i32 splits) {
  constexpr i32 kRoomyFrom = 240;  // registers at launch
  constexpr i32 kBeside = 72;      // accumulators and loads
  const RegisterPlan registers = register_plan(warpgroups_per_tile(config.tiling),
                                               config.ctas_per_sm, config.producer_registers);
  const i32 fours = accumulator_registers(config.tiling) / 4;
  if (uses_tcgen05(config.schedule)) {
    return ceil_div(fours, kTensorMemoryLoadColumns / 4);
  }
  if (config.decomposition.reduction == Reduction::kSpread) {
    const bool roomy = registers.at_launch >= kRoomyFrom;
    return ceil_div(fours, splits * (roomy ? 4 : 1)) * ceil_div(splits, roomy ? 4 : 8);
  }
  const i32 spare = registers.consumer - accumulator_registers(config.tiling) - kBeside;
  return ceil_div(fours, std::clamp(spare / 4, 2, 16));
}

}  // namespace

SumPlan sum_plan(const KernelConfig& config, const WorkDecomposition& work) {
  const Tiling& t = config.tiling;
  const Reduction reduction = config.decomposition.reduction;
  return {.parts = warpgroups_per_tile(t),
          .ranks = cluster_size(t),
          .part_bytes = i64{4} * warpgroup_rows(t) * warpgroup_columns(t),
          .turns = turns_of_reading(config, static_cast<i32>(std::max(1u, work.splits))),
          .pieces = begins_of_pieces(work),
          .in_order = reduction == Reduction::kTurnstile,
          .owner_arrives = reduction == Reduction::kSpread};
}

}  // namespace tilecast
