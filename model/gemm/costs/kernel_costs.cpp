#include "model/gemm/costs/kernel_costs.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/gemm/config/residual_ring.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/costs/hilbert_steps.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/problem/group_rows.h"
#include "model/spec/row_cost.h"

namespace tilecast {
namespace {

/// Load time of a warpgroup that loads a K block between its wgmmas.
Cycles own_loads(const MachineSpec& machine, const KernelConfig& config, Layout layout) {
  const bool ahead = traits_of(config.schedule).loads_run_ahead;
  return machine.own_copy * bulk_copies(config.tiling, layout) +
         (ahead ? machine.load_ahead : Cycles{});
}

/// Time in which all warpgroups that share a CTA's tile pack it into 16-bit pairs in registers, for
/// a deferred store.
Cycles pack_time(const MachineSpec& machine, const Tiling& t) {
  return Cycles{t.block_m * t.block_n / 2 / machine.pairs_converted};
}

/// Number of issue slots of a warp per K block in a kernel with mma.sync: fragments and
/// multiplications of each K step.
double mma_sync_instructions(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 sixteens = warpgroup_columns(t) / kInstructionNStep;
  const double rows = wgmmas_along_m(t);
  return k_steps(t) * (rows + sixteens + 2 * rows * sixteens);
}

/// Exposed issue time of a K block's copies by all warps of a CTA. They are hidden by further steps
/// of the K block, and by ldmatrix if it takes longer than mma.sync.
Cycles thread_copies(const GpuSpec& gpu, const TensorOperation& mma, const Tiling& t) {
  return mma.copies_exposed ? gpu.mma_sync->copy_issue * (t.block_m + t.block_n) : Cycles{};
}

/// Bandwidth of tensor memory's port that MMAs leave free: they read the accumulators that they add
/// to.
BytesPerCycle beside_mmas(BytesPerCycle port, const Tiling& t, Cycles interval) {
  // Lower bound, so that a store continues even if the accumulators fill the port. It is an
  // assumption: tilecast's tcgen05 kernels never ran on a GPU.
  constexpr double kLeast = 0.5;
  const double accumulators = 1.0 * kAccumulatorBytes * t.block_m * t.block_n;
  return {std::max(port.value * kLeast, port.value - accumulators / interval.value)};
}

/// DRAM rate with this many sources of out-of-order requests.
BytesPerSecond out_of_order_rate(const GpuSpec& gpu, int things) {
  return gpu.dram->read_rate * (1 - things * (gpu.stream ? gpu.stream->disorder_loss : 0));
}

/// Bytes that L2 takes in for a row of a bulk store, where a sector written in part counts twice.
double row_intake(i64 bytes, i64 pitch) {
  const RowCost row = row_cost(bytes, pitch);
  return static_cast<double>(kSectorBytes) * (row.sectors + row.partial_sectors);
}

/// Mean bytes that L2 takes in for the bulk stores of a chunk of C whose rows start inside sectors:
/// each row of a box then writes two sectors in part.
double shifted_intake(const GemmProblem& problem, const KernelConfig& config, i64 pitch) {
  const Tiling& t = config.tiling;
  const i32 columns = warpgroup_columns(t), column_bytes = c_column_bytes(problem);
  const double chunks = ceil_div(columns, c_slot_columns(t));
  if (config.operands == OperandOrder::kSwapped) {
    // The kernel computes the transpose of C: each column of a chunk is a part of a row of C.
    return columns / chunks * row_intake(kWgmmaM * element_bytes(c_type(problem)), pitch);
  }
  const i32 last = c_last_columns(config, column_bytes, problem.epilogue);
  const i32 box = c_box_columns(config, column_bytes, problem.epilogue);
  const double row = (columns - last) / box * row_intake(box * column_bytes, pitch) +
                     (last > 0 ? row_intake(last * column_bytes, pitch) : 0);
  return c_slot_rows(config.schedule) / chunks * row;
}

/// Mean bytes that L2 takes in for the bulk stores of a chunk of `whole` bytes. Rows of whole
/// sectors count as a full slot in the last chunk too, which the measurements do not contradict.
double chunk_intake(const GemmProblem& problem, const KernelConfig& config, Bytes whole) {
  const bool by_columns = config.operands == OperandOrder::kSwapped && problem.leading.c == 0;
  const i64 pitch =
      (by_columns ? problem.shape.m : c_row(problem)) * element_bytes(c_type(problem));
  if (pitch % kSectorBytes != 0) {
    return shifted_intake(problem, config, pitch);
  }
  // Rows at sectors are cut inside them by tiles of an odd number of eights.
  const i64 part = warpgroup_columns(config.tiling) * c_column_bytes(problem);
  return config.operands == OperandOrder::kSwapped || part % kSectorBytes == 0
             ? whole.value
             : shifted_intake(problem, config, part);
}

}  // namespace

i32 bulk_copies(const Tiling& t, Layout layout) {
  const auto of_operand = [&t](i32 side, i32 sharers, bool k_major) {
    const i32 slabs_of_k = ceil_div(t.block_k, k_slab_elements(t));
    return k_major ? slabs_of_k * ceil_div(side / sharers, kMostBoxRows)
                   : ceil_div(side, kSlabElements);
  };
  return of_operand(t.block_m, t.cluster_n, a_is_k_major(layout)) +
         of_operand(t.block_n, t.cluster_m, b_is_k_major(layout));
}

BytesPerSecond dram_read_rate(const GpuSpec& gpu) { return out_of_order_rate(gpu, 1); }
BytesPerSecond dram_box_rate(const GpuSpec& gpu) { return out_of_order_rate(gpu, 2); }

std::optional<BytesPerCycle> plain_store_rate(const GpuSpec& gpu, const GemmProblem& problem,
                                              const KernelConfig& config) {
  const bool swapped = config.operands == OperandOrder::kSwapped;
  const i64 bytes =
      (swapped ? problem.shape.m : c_columns(problem)) * element_bytes(c_type(problem));
  if (swapped ? bytes % 16 == 0 : c_rows_allow_tma(problem)) {
    return uses_mma_sync(config.schedule) ? std::optional(gpu.reduction->sm_store) : std::nullopt;
  }
  // Each instruction stores four bytes, or two if neighbouring elements are not 4-byte aligned.
  // Stores of C read shared memory; stores of partial sums read registers.
  return gpu.reduction->sm_store / (bytes % 4 == 0 ? 2 : 4);
}

KernelCosts kernel_costs(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         i32 ctas, bool cold, Hertz sm_clock) {
  const Tiling& t = config.tiling;
  const i32 of_column = c_column_bytes(problem);  // bytes of C per column of A B
  const auto time = [sm_clock](Cycles cycles) { return sim_time(cycles, sm_clock); };

  const MachineSpec& machine = *gpu.machine;
  const bool tcgen05 = uses_tcgen05(config.schedule), mma_sync = uses_mma_sync(config.schedule);
  const TensorOperation mma = tensor_operation(gpu, problem, config);
  const i32 rows = c_slot_rows(config.schedule);
  const Bytes chunk{static_cast<double>(rows * c_slot_columns(t) * of_column)};

  KernelCosts costs{};
  costs.mma.time = time(mma.interval * mma.per_k_block + promotion_beside(machine, problem, t));
  if (mma_sync) {
    costs.mma.issue = time(Cycles{mma_sync_instructions(config)});
    costs.mma.operands = time(mma.operands * mma.per_k_block);
  } else {
    costs.mma.issue = time(machine.mma_issue + machine.wgmma_issue * mma.per_k_block);
    costs.mma.queue = time(mma.interval * machine.mma_queue);
  }
  costs.mma.completion = time(mma.completion);
  if (promotes(problem)) {
    costs.mma.promoted_parts = wgmmas_along_m(t) * wgmmas_along_n(config);
    costs.mma.promotion =
        time(promotion_time(machine, 1.0 * kWgmmaM * tilecast::instruction_n(config)));
  }
  costs.mma.operand_bytes = i64{mma.operand_bytes} * mma.per_k_block;
  costs.mma.turn = time(mma.turn);
  const bool loads_besides = !tcgen05 && !has_producer_warpgroup(config.schedule);
  costs.load.wake = time(cluster_size(t) > 1 ? machine.remote_wake
                         : loads_besides     ? machine.own_load
                                             : machine.wake);
  const i32 copies =
      bulk_copies(t, problem.layout) + (has_block_scales(problem.epilogue) ? scale_copies(t) : 0);
  costs.load.issue = time(mma_sync        ? thread_copies(gpu, mma, t)
                          : loads_besides ? own_loads(machine, config, problem.layout)
                                          : machine.issue + machine.issue_copy * copies);
  costs.load.latency = time(machine.l2_latency);
  costs.load.first = cold ? sim_time(machine.first_load) : SimTime{};
  costs.store.setup = time(machine.epilogue);
  costs.store.first_setup = cold ? time(machine.first_epilogue) : SimTime{};
  // Without stmatrix, threads need twice the store instructions to stage C.
  const double staging_instructions = max_of(1, of_column / kHalfBytes);
  const i32 parts = rows / kWgmmaM;
  costs.store.chunk = time(machine.chunk * parts * staging_instructions);
  costs.store.pack = time(pack_time(machine, t));
  costs.store.arithmetic =
      time(fused_time(machine, problem.epilogue, static_cast<double>(rows * c_slot_columns(t)),
                      residual_through_ring(problem, config)));
  costs.tile.next = time(machine.next_tile);
  if (config.raster.kind == RasterKind::kHilbert) {
    const TileScheduler tiles = make_tile_scheduler(problem, config, 1);
    costs.tile.find =
        time(machine.hilbert_step * hilbert_steps(config.raster, tiles.tiles_m, tiles.tiles_n));
  }
  // Warps that share a slot synchronize.
  costs.store.slot = time((tcgen05 ? Cycles{} : machine.barrier * 2) + machine.issue_copy);
  costs.store.issue = time(machine.barrier * 2 + machine.issue +
                           machine.issue_copy * (c_chunks(t) * warpgroups_per_tile(t)));
  costs.store.staging = time(transfer_cycles(chunk, machine.intake));
  const std::optional<BytesPerCycle> by_threads = plain_store_rate(gpu, problem, config);
  costs.store.chunk_bytes =
      static_cast<i64>(by_threads ? chunk.value : chunk_intake(problem, config, chunk));
  if (problem.epilogue.has(OutputKind::kLoad)) {
    costs.residual.bytes = static_cast<i64>(chunk.value);
    costs.residual.intake = time(transfer_cycles(chunk, gpu.reduction->sm_load));
    costs.residual.output = sim_time(transfer_time(chunk, machine.l2_output));
    costs.residual.dram = sim_time(transfer_time(chunk, dram_read_rate(gpu)));
    if (residual_through_ring(problem, config)) {
      costs.residual.stages = residual_stages(config, of_column, problem.epilogue);
      costs.residual.stage = time(machine.barrier);
      costs.residual.fill = costs.store.staging;
    }
  }
  costs.store.latency = time(machine.store_latency);
  costs.store.by_threads = by_threads.has_value();
  costs.store.read = time(transfer_cycles(chunk, by_threads.value_or(machine.store_read)));
  // Kernels with tcgen05 end with a barrier of the cluster that orders memory accesses.
  costs.launch.kernel = sim_time(machine.kernel) +
                        (tcgen05 && cluster_size(t) > 1 ? sim_time(machine.cluster) : SimTime{});
  costs.launch.dispatch = sim_time(machine.dispatch);
  const i32 per_gpc = ceil_div(std::min(ctas, gpu.sm.count), machine.gpcs);
  costs.launch.cta_start =
      (cold ? sim_time(machine.cta_start + machine.start_shared * per_gpc)
            : time(machine.cta_restart)) +
      (grouped_along_k(problem) ? time(machine.group_read) : SimTime{}) +
      (has_producer_warpgroup(config.schedule) ? sim_time(machine.start_roles) : SimTime{}) +
      (cluster_size(t) > 1 ? sim_time(machine.start_cluster) : SimTime{});
  costs.launch.cta_refill = time(machine.cta_refill + machine.cta_restart);
  if (tcgen05) {
    const BytesPerCycle port = gpu.tcgen05->tensor_memory_read;
    const Bytes fp32 = chunk * 2;
    costs.tensor_memory.read = time(transfer_cycles(fp32, port));
    costs.tensor_memory.read_shared =
        time(transfer_cycles(fp32, beside_mmas(port, t, mma.interval)));
    costs.tensor_memory.store_wait = time(machine.barrier);
    costs.tensor_memory.answer = time(machine.l2_latency);
  }
  return costs;
}

}  // namespace tilecast
