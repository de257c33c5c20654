#include "model/gemm/order/tile_scheduler.h"

#include "model/gemm/problem/group_rows.h"

namespace tilecast {

u32 tile_rows(const GemmProblem& problem, const Tiling& t) {
  return grouped_along_m(problem)
             ? problem.groups->tile_rows(i64{t.block_m} * t.cluster_m)
             : tile_rows(problem.shape, t) * static_cast<u32>(matrices_of_c(problem));
}

TileScheduler make_tile_scheduler(const GemmProblem& problem, const KernelConfig& config,
                                  u32 max_resident_workers) {
  return tile_scheduler_over(tile_rows(problem, config.tiling),
                             tile_columns(problem.shape, config.tiling), config,
                             max_resident_workers);
}

}  // namespace tilecast
