#include "model/gemm/form/closed_form.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/math.h"
#include "model/form/loads.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/costs/hilbert_steps.h"
#include "model/gemm/costs/kernel_costs.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {
namespace {

/// A kernel at an SM clock, with its step times, which the simulator uses too.
struct KernelAt {
  const GpuSpec& gpu;
  const GemmProblem& problem;
  const KernelConfig& config;
  const Tiling& t;
  Hertz sm_clock;
  KernelCosts costs;

  Cycles cycles(SimTime time) const { return cycles_of(seconds_of(time), sm_clock); }
};

/// Rows of A, or columns of B, of a CTA tile; averaged over all tiles, the fraction that exists and
/// the fraction that is loaded.
struct Side {
  i32 tile;
  double existing, loaded;
};

/// Operands A and B, whose stages one ring holds.
std::array<LoopOperand, 2> operands_of(const GemmProblem& problem, const KernelConfig& config,
                                       const GemmWork& work) {
  const Tiling& t = config.tiling;
  const double k = mean_k(problem);
  const double k_of_blocks = work.all_k_blocks / static_cast<double>(work.tiles) * t.block_k;
  const i64 element = element_bytes(problem.dtype);
  const auto operand = [&](bool k_major, i64 columns, i64 row, Side side, i32 multicast,
                           double sharers, double missing) -> LoopOperand {
    const i64 slab = k_major ? k_slab_elements(t) : kSlabElements;
    const double width = static_cast<double>(slab);
    const double boxes = k_major ? t.block_k / width * side.tile : side.tile / width * t.block_k;
    // Boxes of rows along K start at multiples of a slab.
    const double rows =
        k_major ? std::min(1.0, std::ceil(k / width) * width / k_of_blocks) : k / k_of_blocks;
    return {.once_a_tile = false,
            .stage = Bytes{1.0 * side.tile * t.block_k * t.operand_bytes},
            .existing = k / k_of_blocks * side.existing,
            .rows_existing = rows * side.existing,
            .rows_loaded = side.loaded,
            .multicast = multicast,
            .row = {columns * element, row * element, slab * element},
            .box_rows = boxes / multicast,
            // Out-of-bounds rows along K are requested in pairs of lines if they are aligned to
            // pairs.
            .lines_outside = k_major && row * element % (2 * kLineBytes) == 0 ? 2.0 : 1.0,
            .sharers = sharers,
            .missing = missing};
  };
  const GemmTraffic& traffic = work.traffic;
  const RowsOfTiles rows = rows_of_tiles(problem, config);
  const double rows_of_a = static_cast<double>(rows.tiles * t.block_m);
  const Side of_a{t.block_m, static_cast<double>(rows.existing) / rows_of_a,
                  static_cast<double>(rows.loaded) / rows_of_a};
  // Each CTA of a pair that shares instructions loads half of B.
  const i32 pair = uses_tcgen05(config.schedule) ? cta_group(t) : 1;
  const i64 n = problem.shape.n;
  const Side of_b{t.block_n / pair,
                  static_cast<double>(n) / static_cast<double>(round_up<i64>(n, t.block_n)), 1};
  return {operand(a_is_k_major(problem.layout), sides_of_a(problem).columns, a_row(problem), of_a,
                  t.cluster_n, traffic.a_sharers, traffic.a_missing),
          operand(b_is_k_major(problem.layout), sides_of_b(problem).columns, b_row(problem), of_b,
                  t.cluster_m / pair, traffic.b_sharers, traffic.b_missing)};
}

/// The tensor operations of a K block, and the additions of fp32 promotion.
LoopStep multiply(const KernelAt& kernel) {
  const KernelCosts& costs = kernel.costs;
  const TensorOperation operation = tensor_operation(kernel.gpu, kernel.problem, kernel.config);
  const Cycles promotion = promotion_beside(*kernel.gpu.machine, kernel.problem, kernel.t) *
                           warpgroups_per_tile(kernel.t);
  // With mma.sync a barrier per K block keeps all warps of a CTA in step, so only other CTAs can
  // hide its instructions.
  const bool mma_sync = uses_mma_sync(kernel.config.schedule);
  const Cycles pipe = operation.interval * operation.of_cta();
  LoopStep step{
      .waits = kernel.config.inflight == 0 || mma_sync,
      .busy = pipe + promotion,
      .operands = operation.operands * operation.of_cta(),
      .own = mma_sync ? pipe - kernel.cycles(costs.mma.issue) : kernel.cycles(costs.mma.time),
      .turn = kernel.cycles(costs.mma.turn),
      .issue = kernel.cycles(costs.mma.issue),
      .queue = kernel.cycles(costs.mma.queue),
      .completion = kernel.cycles(costs.mma.completion)};
  if (costs.mma.promoted_parts > 0) {
    step.released = kernel.cycles(costs.mma.promotion);
    step.after =
        step.released * costs.mma.promoted_parts + step.completion * (costs.mma.promoted_parts - 1);
  }
  return step;
}

Flow flow_of(Schedule schedule) {
  return uses_tcgen05(schedule) ? Flow::kOneIssuer
         : has_ring(schedule)   ? Flow::kRing
                                : Flow::kInOrder;
}

std::optional<Addend> addend_of(const KernelAt& kernel) {
  const KernelCosts& costs = kernel.costs;
  if (costs.residual.bytes == 0) {
    return std::nullopt;
  }
  const i32 chunks =
      costs.residual.stages > 0 ? c_chunks(kernel.t) * warpgroups_per_tile(kernel.t) : 0;
  return Addend{kernel.cycles(costs.residual.intake), kernel.cycles(costs.residual.fill) * chunks};
}

TileStore store_of(const KernelAt& kernel) {
  const KernelCosts& costs = kernel.costs;
  const Tiling& t = kernel.t;
  const Cycles tensor_memory =
      uses_tcgen05(kernel.config.schedule)
          ? transfer_cycles(Bytes{1.0 * kAccumulatorBytes * t.block_m * t.block_n},
                            kernel.gpu.tcgen05.value().tensor_memory_read)
          : Cycles{};
  const i32 deferred = deferred_chunks(kernel.config);
  const double c_of_tile = 1.0 * c_column_bytes(kernel.problem) * t.block_m * t.block_n;
  return {.chunks = c_chunks(kernel.config.schedule, t),
          .slots = t.c_slots,
          .warpgroups = 1.0 * warpgroups_per_tile(t),
          .chunk = Bytes{static_cast<double>(costs.store.chunk_bytes)},
          .setup = kernel.cycles(costs.store.setup) + tensor_memory,
          .arithmetic = kernel.cycles(costs.store.arithmetic) * warpgroups_per_tile(t),
          .instructions = kernel.cycles(costs.store.chunk + costs.store.slot),
          .port = kernel.cycles(costs.store.staging),
          .read = kernel.cycles(costs.store.read),
          .latency = kernel.cycles(costs.store.latency),
          .by_threads = costs.store.by_threads,
          .deferred = deferred,
          .pack = kernel.cycles(costs.store.pack),
          .operands_late = deferred == 0
                               ? Cycles{}
                               : transfer_cycles(Bytes{c_of_tile * deferred / c_chunks(t)},
                                                 kernel.gpu.wgmma->operand_rate),
          .addend = addend_of(kernel)};
}

Sequence sequence_of(const KernelAt& kernel) {
  const KernelConfig& config = kernel.config;
  const ScheduleTraits traits = traits_of(config.schedule);
  return {.one_tile_per_cta = config.grid == Grid::kTiles,
          .loads_run_ahead = traits.loads_run_ahead,
          .ends_overlap = traits.tiles_at_once > 1 || config.accumulators == kMostAccumulators,
          .find = kernel.cycles(kernel.costs.tile.find) * searches_per_tile(config.schedule),
          .next = kernel.cycles(kernel.costs.tile.next),
          .refill = kernel.cycles(kernel.costs.launch.cta_refill)};
}

bool in_step(const GemmWork& work) {
  return work.shared ? work.shared->busiest.pieces <= 1 : work.tiles_per_sm <= work.ctas_per_sm;
}

/// CTAs that work at the same time: per SM, and the number of SMs with any.
struct Concurrency {
  double ctas, sms;
};

Concurrency concurrency(const GpuSpec& gpu, const KernelConfig& config, const GemmWork& work) {
  if (!work.shared) {
    return {static_cast<double>(std::min<i64>(work.ctas_per_sm, work.tiles_per_sm)),
            static_cast<double>(std::min<i64>(gpu.sm.count, work.tiles))};
  }
  const i64 ctas = work.shared->workers * cluster_size(config.tiling);
  const i64 sms = std::min<i64>(gpu.sm.count, ctas);
  return {static_cast<double>(std::min<i64>(work.ctas_per_sm, ceil_div(ctas, sms))),
          static_cast<double>(sms)};
}

}  // namespace

ClosedForm closed_form(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                       const GemmWork& work, Hertz sm_clock) {
  const Tiling& t = config.tiling;
  const auto [ctas, sms] = concurrency(gpu, config, work);
  const i32 grid = static_cast<i32>(ctas * sms);
  const KernelAt kernel{gpu, problem,  config,
                        t,   sm_clock, kernel_costs(gpu, problem, config, grid, false, sm_clock)};
  const KernelCosts& costs = kernel.costs;
  const std::array operands = operands_of(problem, config, work);
  // With mma.sync a stage is free at the barrier of the next K block.
  const Ring rings[] = {{t.stages, uses_mma_sync(config.schedule) ? 1 : config.inflight}};
  const LoopStep steps[] = {multiply(kernel)};
  const Loop loop{.operands = operands,
                  .rings = rings,
                  .steps = steps,
                  .flow = flow_of(config.schedule),
                  .producer = has_producer_warpgroup(config.schedule),
                  .warpgroups = warpgroups_per_tile(t),
                  .load_latency = kernel.cycles(costs.load.latency),
                  .wake = kernel.cycles(costs.load.wake),
                  .issue = kernel.cycles(costs.load.issue)};
  Work tiles{.ctas = ctas,
             .sms = sms,
             .tiles = work.tiles_per_sm,
             .blocks = work.k_blocks,
             .all_blocks = work.all_k_blocks,
             .pieces = {},
             .in_step = in_step(work),
             .flops = Flops{multiplied_flops(problem, config)},
             .dram = transfer_time(work.traffic.dram_read, dram_read_rate(gpu)) +
                     transfer_time(work.traffic.dram_write, gpu.dram->write_rate),
             .launch = kernel.cycles(costs.launch.kernel + costs.launch.dispatch * grid +
                                     costs.launch.cta_start),
             .sequence = sequence_of(kernel),
             .store = store_of(kernel)};
  if (work.shared) {
    const WorkerShare& share = work.shared->busiest;
    tiles.pieces = {
        share.k_blocks, share.pieces,
        reduction_time(gpu, config, sm_clock, share, static_cast<double>(work.shared->workers))};
  }
  return form(gpu, sm_clock, loop, tiles);
}

Bytes l2_output(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                const GemmWork& work) {
  return work.traffic.l2_to_sm * l2_put_out(gpu, operands_of(problem, config, work), in_step(work));
}

}  // namespace tilecast
