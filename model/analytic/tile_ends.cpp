#include "model/analytic/tile_ends.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/spec/hilbert_steps.h"
#include "model/tile/register_plan.h"
#include "model/tile/smem_layout.h"

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
Cycles accumulator_read(const KernelAt& kernel) {
  const Bytes accumulators{4.0 * kernel.tiling().block_m * kernel.tiling().block_n};
  return uses_tcgen05(kernel.config.schedule)
             ? transfer_cycles(accumulators, kernel.gpu.tcgen05.value().tensor_memory_read)
             : Cycles{};
}

/// Finding a tile on a Hilbert curve.
Cycles find_tile(const KernelAt& kernel) {
  return kernel.cycles(kernel.costs.find_tile) * searches_per_tile(kernel.config.schedule);
}

/// An epilogue's instructions of one chunk of each warpgroup that finishes a tile.
Cycles fused(const KernelAt& kernel) {
  return kernel.cycles(kernel.costs.fused) * kernel.warpgroups();
}

/// Threads do, at a tile's end; not where R comes through the ring of stages.
bool reads_residual(const KernelAt& kernel) {
  return kernel.costs.residual_bytes > 0 && kernel.costs.residual_stages == 0;
}

/// Of R, of all warpgroups that finish a tile together: a chunk of each, two of which each
/// warpgroup asks for at a time.
Cycles residual_read(const KernelAt& kernel) {
  const Cycles intake = kernel.cycles(kernel.costs.residual_intake);
  return reads_residual(kernel) ? std::max(intake * kernel.warpgroups(),
                                           (kernel.cycles(kernel.costs.l2_latency) + intake) / 2)
                                : Cycles{};
}
/// What R's stages of the ring take from who waits for loads all the while: all of them.
Cycles residual_loads(const KernelAt& kernel, const KBlockStep& step, double k_blocks) {
  const KernelCosts& costs = kernel.costs;
  const i32 chunks = c_chunks(kernel.tiling()) * warpgroups_per_tile(kernel.tiling());
  const Cycles loads =
      kernel.cycles(costs.residual_fill) * (costs.residual_stages > 0 ? chunks : 0);
  return std::min(loads, (step.time - step.operands_there) * k_blocks);
}

/// Before the first chunk has come.
Cycles residual_wait(const KernelAt& kernel) {
  return reads_residual(kernel) ? kernel.cycles(kernel.costs.l2_latency) : Cycles{};
}

/// Of all warpgroups that finish a tile together: one chunk of each staged, its store from issue to
/// source read, and of that the part that stores one after the other take.
struct Chunk {
  Cycles staging, store, store_rate;
};

Chunk chunk_of(const KernelAt& kernel, Cycles arithmetic) {
  const KernelCosts& costs = kernel.costs;
  const double together = kernel.warpgroups();
  const Cycles port = kernel.cycles(costs.staging);
  const Cycles own = arithmetic + port + kernel.cycles(costs.chunk + costs.slot);
  const double all_bytes = static_cast<double>(costs.chunk_bytes) * together;
  const Cycles into_l2 =
      cycles_of(transfer_time(Bytes{all_bytes * kernel.sms}, kernel.gpu.reduction->chip_store),
                kernel.sm_clock);
  const Cycles read = std::max(kernel.cycles(costs.store_read) * together, into_l2);
  const Cycles store = read + kernel.cycles(costs.store_latency);
  const Cycles reading = arithmetic > Cycles{} ? residual_read(kernel) : Cycles{};
  const Cycles staging = std::max({own, port * together, reading});
  return costs.plain_stores ? Chunk{staging + store, {}, {}} : Chunk{staging, store, read};
}

/// What `chunks` of a tile, through `slots`, take beyond their staging.
Cycles waiting(const Chunk& chunk, i32 chunks, i32 slots) {
  if (slots == 0 || slots >= chunks) {
    return {};
  }
  const Cycles each = chunk.store - chunk.staging * (slots - 1);
  const Cycles engine = (chunk.store_rate - chunk.staging) * (chunks - slots);
  return std::max({Cycles{}, each * (ceil_div(chunks, slots) - 1), engine});
}

/// A tile's end where `deferred` of its chunks wait: what the next tile's K blocks do not hide.
Cycles deferred_end(const KernelAt& kernel, const KBlockStep& step, double k_blocks, i32 deferred) {
  const Chunk chunk = chunk_of(kernel, {});  // of those that wait the epilogue is taken already
  const Cycles each = std::max(chunk.staging, chunk.store_rate);
  const double hidden = std::min<double>(deferred, k_blocks);
  const i32 chunks = c_chunks(kernel.config.schedule, kernel.tiling());
  const Cycles packing = kernel.cycles(kernel.costs.pack) + fused(kernel) * chunks;
  Cycles end = std::max(packing, residual_read(kernel) * chunks) + residual_wait(kernel) +
               std::max(Cycles{}, each - step.time) * hidden + each * (deferred - hidden);
  if (deferred < chunks) {
    end += kernel.cycles(kernel.costs.epilogue) + each * (chunks - deferred);
  }
  return end;
}

/// What chunks staged under wgmmas take from the port of shared memory that these read their
/// operands through.
Cycles staged_beside_wgmmas(const KernelAt& kernel, i32 deferred) {
  const Tiling& t = kernel.tiling();
  const Bytes c{1.0 * c_column_bytes(kernel.problem) * t.block_m * t.block_n * deferred /
                c_chunks(t)};
  return transfer_cycles(c, kernel.gpu.wgmma->operand_rate);
}

/// K blocks by which warpgroups that share a tile are apart; the ring and the tile hold them.
double drift(const KernelConfig& config, double k_blocks) {
  // Seen in two warpgroups with three and four stages. What was learned was learned with it:
  // without any, judged cycles are 7.5 and not 7.9 % off by physics alone, and the first pick at
  // 0.968 and not 0.975 (docs/dev/notebook/2026-11.md, One machine).
  constexpr double kDrift = 1.5;
  const Tiling& t = config.tiling;
  if (uses_tcgen05(config.schedule)) {
    return 0;  // one thread multiplies for all
  }
  const double most = std::min<double>(t.stages - 1, k_blocks);
  return warpgroups_per_tile(t) > 1 ? std::min(kDrift, most) : 0;
}

}  // namespace

Cycles first_load(const KernelAt& kernel, Cycles load) {
  return has_ring(kernel.config.schedule) ? kernel.cycles(kernel.costs.issue) + load : Cycles{};
}

Cycles epilogue_time(const KernelAt& kernel) {
  const Chunk chunk = chunk_of(kernel, fused(kernel));
  const i32 chunks = c_chunks(kernel.config.schedule, kernel.tiling());
  return kernel.cycles(kernel.costs.epilogue) + accumulator_read(kernel) + residual_wait(kernel) +
         chunk.staging * chunks + waiting(chunk, chunks, kernel.tiling().c_slots);
}

Cycles last_store(const KernelAt& kernel) {
  const Chunk chunk = chunk_of(kernel, fused(kernel));
  const i32 chunks = c_chunks(kernel.config.schedule, kernel.tiling());
  const i32 slots = kernel.tiling().c_slots;
  const i32 behind = slots == 0 ? chunks : min_of(slots, chunks);  // stores that may be under way
  const Cycles shown = chunk.store_rate * behind - chunk.staging * (slots == 0 ? 0 : behind - 1);
  return std::max(chunk.store, chunk.store - chunk.store_rate + shown);
}

Cycles after_last_tile(const KernelAt& kernel) {
  return kernel.cycles(kernel.costs.completion) + find_tile(kernel) + epilogue_time(kernel);
}

Cycles between_tiles(const KernelAt& kernel, Cycles load, const KBlockStep& step, double k_blocks) {
  const KernelConfig& config = kernel.config;
  const i32 deferred = deferred_chunks(config);
  const Cycles next = kernel.cycles(kernel.costs.next_tile);
  const Cycles end = deferred == 0 ? after_last_tile(kernel) + next
                                   : kernel.cycles(kernel.costs.completion) + find_tile(kernel) +
                                         next + deferred_end(kernel, step, k_blocks, deferred);
  if (config.grid == Grid::kTiles) {
    return end + last_store(kernel) + kernel.cycles(kernel.costs.cta_refill) +
           first_load(kernel, load);
  }
  if (!loads_run_ahead(config)) {
    return end + kernel.cycles(kernel.costs.issue) + load;
  }
  const Cycles residual = residual_loads(kernel, step, k_blocks);
  if (ends_run_aside(config)) {
    return std::max(Cycles{}, end - step.time * k_blocks) + residual;
  }
  const Cycles waits_for_loads = step.time - step.operands_there;
  const double caught_up = std::min<double>(config.tiling.stages, k_blocks);
  const Cycles hidden = std::max(waits_for_loads * caught_up, step.time * drift(config, k_blocks));
  const Cycles shown = end - std::min(end, hidden) + residual;
  return deferred == 0 ? shown : shown + staged_beside_wgmmas(kernel, deferred);
}

}  // namespace tilecast
