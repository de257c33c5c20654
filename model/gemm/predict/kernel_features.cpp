#include "model/gemm/predict/kernel_features.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/base/math.h"
#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/costs/kernel_costs.h"
#include "model/gemm/order/normal_order.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {
namespace {

double number(bool is) { return is ? 1.0 : 0.0; }

/// log2(128 / alignment of rows in bytes): 0 if they start on 128-byte lines, 3 if on 16 bytes, the
/// least that TMA can store.
double alignment(i64 bytes) {
  return std::countr_zero(128U) - std::countr_zero(static_cast<u64>(bytes) | 128U);
}

/// Fraction of the area of `tiles` whole tiles that lies outside the matrix along one dimension.
double beyond_edge(i64 side, i64 tiles, i64 tile) {
  return 1 - static_cast<double>(side) / static_cast<double>(tiles * tile);
}

/// Fraction of the last round that is used, of `rounds` rounds.
double used_of_last(double rounds) { return rounds / std::max(1.0, std::ceil(rounds)); }

}  // namespace

KernelFeatures kernel_features(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work,
                               const ClosedForm& form, Hertz sm_clock,
                               const std::optional<SimulatedWork>& simulated, Regime regime) {
  const i64 m = problem.shape.m, n = problem.shape.n;
  const Tiling& t = config.tiling;
  const FormParts& parts = form.parts;
  const ScheduleTraits traits = traits_of(config.schedule);
  const i64 element = element_bytes(problem.dtype);
  const auto share = [&](Cycles cycles) { return cycles / form.cycles; };
  const auto rate = [&](Bytes bytes) {  // bytes per SM and simulated cycle
    return simulated ? std::log(std::max(1.0, bytes.value) /
                                (simulated->cycles.value * static_cast<double>(gpu.sm.count)))
                     : 0;
  };
  const double waves =
      static_cast<double>(work.tiles) / (static_cast<double>(gpu.sm.count) * work.ctas_per_sm);
  const bool swapped = config.operands == OperandOrder::kSwapped;
  const RasterKind order =
      simplest(config.raster, tile_rows(problem, t), tile_columns(problem.shape, t)).kind;
  const std::optional<BytesPerCycle> by_threads = plain_store_rate(gpu, problem, config);
  const Bytes c_of_tile{1.0 * t.block_m * t.block_n * c_column_bytes(problem)};
  const auto of_n = static_cast<double>((t.block_n - 1) % kSlabColumns + 1);
  return {
      {simulated ? std::log(share(simulated->cycles)) : 0,
       rate(work.shared_memory),
       rate(simulated ? simulated->l2 : Bytes{}),
       rate(simulated ? simulated->dram : Bytes{}),

       form.shares.tensor,
       form.shares.shared_memory,
       form.shares.sm_intake,
       share(parts.dram),
       parts.mma / parts.step,
       parts.l2 / parts.step,
       std::log(share(parts.main_loops)),
       share(fused_time(*gpu.machine, problem.epilogue, 1.0 * t.block_m * t.block_n) *
             static_cast<double>(work.tiles_per_sm)),
       by_threads
           ? share(transfer_cycles(c_of_tile, *by_threads) * static_cast<double>(work.tiles_per_sm))
           : 0,
       std::log(time_of(form.cycles, sm_clock).value),
       std::log(sm_clock.value / si::kGiga),

       std::log(std::max(1.0, mean_k(problem) * static_cast<double>(element) / 2)),
       grouped_along_m(problem) ? std::log2(static_cast<double>(problem.groups->not_empty())) : 0,
       number(is_fp8(problem.dtype)),
       std::log(static_cast<double>(work.tiles)),
       used_of_last(waves),
       std::log(work.traffic.sm_intake / work.traffic.l2_to_sm),
       beyond_edge(m * matrices_of_c(problem), tile_rows(problem, t), i64{t.block_m} * t.cluster_m),
       beyond_edge(n, tile_columns(problem.shape, t), i64{t.block_n} * t.cluster_n),
       std::max(a_is_k_major(problem.layout) ? alignment(a_row(problem) * element) : 0,
                b_is_k_major(problem.layout) ? alignment(b_row(problem) * element) : 0),
       alignment((swapped && problem.leading.c == 0 ? m : c_row(problem)) *
                 element_bytes(c_type(problem))),
       number(order == RasterKind::kHilbert),

       std::log2(t.block_m),
       std::log2(t.block_n),
       of_n / kSlabColumns,
       std::log2(t.stages),
       std::log2(t.warpgroups_n),
       std::log2(parts.ctas),
       std::log2(t.cluster_n),

       has_producer_warpgroup(config.schedule) ? 1.0 : 0.0,
       config.grid == Grid::kResident ? 1.0 : 0.0,
       number(traits.tiles_at_once > 1),
       number(traits.buffers == Buffers::kRing),
       work.shared ? std::log(std::max(1.0, work.shared->busiest.pieces)) : 0.0,
       std::log2(std::max(1, config.decomposition.splits)),
       number(traits.hybrid)},
      simulated ? limiter_of(simulated->busy, form.limiter) : form.limiter,
      regime,
      never_learned(problem)};
}

}  // namespace tilecast
