#include "model/sim/same_simulation.h"

#include "model/base/math.h"
#include "model/tile/smem_layout.h"

namespace tilecast {

Raster simplest(Raster raster, const GemmProblem& problem, const Tiling& t) {
  const i64 tiles_m = tile_rows(problem, t);
  const i64 tiles_n = tile_columns(problem.shape, t);
  const bool by_columns = raster.kind == RasterKind::kGroupedN && raster.group == 1;
  if (by_columns || (raster.kind == RasterKind::kGroupedM && raster.group >= tiles_m)) {
    return {RasterKind::kGroupedM, static_cast<i32>(tiles_m), raster.walk};
  }
  if (raster.kind == RasterKind::kGroupedN && raster.group >= tiles_n) {
    return {RasterKind::kGroupedM, 1, raster.walk};
  }
  return raster;
}

KernelConfig as_simulated(const GemmProblem& problem, KernelConfig config, i32 ctas_per_sm) {
  Tiling& t = config.tiling;
  const i32 k_blocks = static_cast<i32>(ceil_div<i64>(problem.shape.k, t.block_k));
  config.instruction_n = instruction_n(config);
  config.ctas_per_sm = ctas_per_sm;
  config.raster = simplest(config.raster, problem, t);
  t.c_slots = min_of(t.c_slots, c_chunks(config.schedule, t));
  if (config.grid == Grid::kTiles) {
    t.stages = min_of(t.stages, k_blocks);
  }
  // They decide how many chunks wait for their store, and where K is split how much is loaded at
  // once.
  if (!splits_k(config.schedule) && config.store != Store::kDeferred) {
    config.producer_registers = 0;
  }
  return config;
}

}  // namespace tilecast
