#include "model/analytic/tile_ends.h"

#include <algorithm>

#include "model/analytic/tensor_operation.h"
#include "model/base/math.h"
#include "model/spec/hilbert_steps.h"
#include "model/spec/pack_time.h"
#include "model/tile/register_plan.h"
#include "model/tile/smem_layout.h"
#include "model/tile/tensor_memory.h"
#include "model/tile/tile_scheduler.h"

namespace tilecast {
namespace {

bool loads_run_ahead(const KernelConfig& config) {
  return config.grid != Grid::kTiles && traits_of(config.schedule).loads_run_ahead;
}

/// A tile's end runs under the next one's K blocks: its accumulators have a place of their own.
bool ends_run_aside(const KernelConfig& config) {
  return traits_of(config.schedule).tiles_at_once > 1 || config.accumulators == kMostAccumulators;
}

/// From tensor memory to registers.
Cycles accumulator_read(const GpuSpec& gpu, const KernelConfig& config) {
  const Bytes accumulators{4.0 * config.tiling.block_m * config.tiling.block_n};
  return uses_tcgen05(config.schedule)
             ? transfer_cycles(accumulators, gpu.tcgen05.value().tensor_memory_read)
             : Cycles{};
}

/// What plain stores add where C cannot be stored in bulk.
Cycles plain_stores(const EpilogueSpec& epilogue, Bytes c, const GemmProblem& problem) {
  if (c_rows_allow_tma(problem)) {
    return {};
  }
  return transfer_cycles(c, epilogue.plain_rate) * (problem.shape.n % 2 == 0 ? 1 : 2);
}

/// Finding a tile on a Hilbert curve.
Cycles find_tile(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  if (config.raster.kind != RasterKind::kHilbert || !gpu.machine) {
    return {};
  }
  const TileScheduler scheduler = make_tile_scheduler(problem.shape, config, 1);
  return gpu.machine->hilbert_step *
         (hilbert_steps(config.raster, scheduler.tiles_m, scheduler.tiles_n) *
          searches_per_tile(config.schedule));
}

/// Staging of one chunk, and what a slot makes it wait for the store before.
struct Chunk {
  Cycles staging, waiting;
};

Chunk chunk_of(const GpuSpec& gpu, const KernelConfig& config) {
  const EpilogueSpec& epilogue = *gpu.epilogue;
  const Tiling& t = config.tiling;
  const i32 chunks = c_chunks(config.schedule, t);
  const Bytes c{2.0 * t.block_m * t.block_n};
  const Cycles staging = epilogue.chunk + transfer_cycles(c, epilogue.rate) / chunks;
  const i32 slots = t.c_slots == 0 ? chunks : min_of(t.c_slots, chunks);
  return {staging, std::max(Cycles{}, epilogue.store_read - staging * (slots - 1))};
}

/// A tile's end where `deferred` of its chunks wait: what the next tile's K blocks do not hide.
Cycles deferred_end(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                    const KBlockStep& step, i64 k_blocks, i32 deferred) {
  const Chunk chunk = chunk_of(gpu, config);
  const Cycles each = chunk.staging + chunk.waiting / std::max(1, config.tiling.c_slots);
  const i64 hidden = std::min<i64>(deferred, k_blocks);
  const i32 chunks = c_chunks(config.schedule, config.tiling);
  const Bytes c{2.0 * config.tiling.block_m * config.tiling.block_n};
  Cycles end =
      pack_time(config) + std::max(Cycles{}, each - step.time) * static_cast<double>(hidden) +
      each * static_cast<double>(deferred - hidden) + plain_stores(*gpu.epilogue, c, problem);
  if (deferred < chunks) {
    end += gpu.epilogue->fixed + each * (chunks - deferred);
  }
  return end;
}

/// What chunks staged under wgmmas take from the port of shared memory that these read their
/// operands through.
Cycles staged_beside_wgmmas(const GpuSpec& gpu, const KernelConfig& config, i32 deferred) {
  const Tiling& t = config.tiling;
  const Bytes c{2.0 * t.block_m * t.block_n * deferred / c_chunks(t)};
  return transfer_cycles(c, gpu.wgmma->operand_rate);
}

/// K blocks by which warpgroups that share a tile are apart; the ring and the tile hold them.
double drift(const KernelConfig& config, i64 k_blocks) {
  constexpr double kDrift = 1.5;  // seen in two warpgroups with three and four stages
  const Tiling& t = config.tiling;
  if (uses_tcgen05(config.schedule)) {
    return 0;  // one thread multiplies for all
  }
  const double most = static_cast<double>(min_of<i64>(t.stages - 1, k_blocks));
  return warpgroups_per_tile(t) > 1 ? std::min(kDrift, most) : 0;
}

}  // namespace

Cycles first_load(Schedule schedule, Cycles load_latency) {
  return has_ring(schedule) ? load_latency : Cycles{};
}

Cycles epilogue_time(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  const EpilogueSpec& epilogue = *gpu.epilogue;
  const Tiling& t = config.tiling;
  const i32 chunks = c_chunks(config.schedule, t);
  const Bytes c{2.0 * t.block_m * t.block_n};
  const Chunk chunk = chunk_of(gpu, config);
  const i32 slots = t.c_slots == 0 ? chunks : min_of(t.c_slots, chunks);
  return epilogue.fixed + accumulator_read(gpu, config) + chunk.staging * chunks +
         chunk.waiting * (ceil_div(chunks, slots) - 1) + plain_stores(epilogue, c, problem);
}

Cycles after_last_tile(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  return tensor_operation(gpu, config).completion + find_tile(gpu, problem, config) +
         epilogue_time(gpu, problem, config);
}

Cycles between_tiles(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                     Cycles load_latency, const KBlockStep& step, i64 k_blocks) {
  const i32 deferred = deferred_chunks(config);
  const Cycles end =
      deferred == 0 ? after_last_tile(gpu, problem, config)
                    : tensor_operation(gpu, config).completion + find_tile(gpu, problem, config) +
                          deferred_end(gpu, problem, config, step, k_blocks, deferred);
  if (config.grid == Grid::kTiles) {
    return end + gpu.epilogue->store_read + gpu.launch->cta_refill +
           first_load(config.schedule, load_latency);
  }
  if (!loads_run_ahead(config)) {
    return end + load_latency;
  }
  if (ends_run_aside(config)) {
    return std::max(Cycles{}, end - step.time * static_cast<double>(k_blocks));
  }
  const Cycles waits_for_loads = step.time - step.operands_there;
  const double caught_up = static_cast<double>(min_of<i64>(config.tiling.stages, k_blocks));
  const Cycles hidden = std::max(waits_for_loads * caught_up, step.time * drift(config, k_blocks));
  const Cycles shown = end - std::min(end, hidden);
  return deferred == 0 ? shown : shown + staged_beside_wgmmas(gpu, config, deferred);
}

}  // namespace tilecast
