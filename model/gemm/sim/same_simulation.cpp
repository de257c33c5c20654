#include "model/gemm/sim/same_simulation.h"

#include "model/base/math.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/order/normal_order.h"

namespace tilecast {

KernelConfig as_simulated(const GemmProblem& problem, KernelConfig config, i32 ctas_per_sm) {
  Tiling& t = config.tiling;
  const i32 k_blocks = static_cast<i32>(ceil_div<i64>(problem.shape.k, t.block_k));
  config.instruction_n = instruction_n(config);
  config.ctas_per_sm = ctas_per_sm;
  config.raster = simplest(config.raster, tile_rows(problem, t), tile_columns(problem.shape, t));
  t.c_slots = min_of(t.c_slots, c_chunks(config.schedule, t));
  if (config.grid == Grid::kTiles) {
    t.stages = min_of(t.stages, k_blocks);
  }
  // Registers limit how many chunks wait for their store and, if K is split, how many loads are in
  // flight.
  if (!splits_k(config.schedule) && config.store != Store::kDeferred) {
    config.producer_registers = 0;
  }
  return config;
}

}  // namespace tilecast
