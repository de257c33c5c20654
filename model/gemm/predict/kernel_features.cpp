#include "model/gemm/predict/kernel_features.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/clock/energy.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/costs/kernel_costs.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {
namespace {

double number(bool is) { return is ? 1.0 : 0.0; }

/// log2 of the groups that are not empty, if the problem has groups along this dimension.
double groups_along(bool is, const GemmProblem& problem) {
  return is ? std::log2(std::max(1.0, static_cast<double>(problem.groups->not_empty()))) : 0;
}

/// log2(128 / alignment of rows in bytes): 0 if they start on 128-byte lines, 3 if on 16 bytes, the
/// least that TMA can store.
double alignment(i64 bytes) {
  return std::countr_zero(128U) - std::countr_zero(static_cast<u64>(bytes) | 128U);
}

/// Fraction of the area of `tiles` whole tiles that lies outside the matrix along one dimension.
double beyond_edge(i64 side, i64 tiles, i64 tile) {
  return 1 - static_cast<double>(side) / static_cast<double>(tiles * tile);
}

/// Bytes in a row of the narrowest store of C, by TMA or by threads together.
double narrowest_store(const GemmProblem& problem, const KernelConfig& config) {
  const i32 column = c_column_bytes(problem);
  const i32 last = c_last_columns(config, column, problem.epilogue),
            box = c_box_columns(config, column, problem.epilogue);
  return static_cast<double>((last > 0 ? std::min(last, box) : box) * column);
}

/// Fraction of the last round that is used, of `rounds` rounds.
double used_of_last(double rounds) { return rounds / std::max(1.0, std::ceil(rounds)); }

}  // namespace

std::vector<std::string_view> kinds_of(const GemmProblem& problem) {
  std::vector<std::string_view> kinds;
  for (const auto& [is, kind] :
       {std::pair(has_block_scales(problem.epilogue), "block scales"),
        {promotes(problem) && !has_block_scales(problem.epilogue), "exact accumulation"},
        {problem.batch.products > 1, "batches"},
        {grouped_along_m(problem), "groups"},
        {grouped_along_k(problem), "groups along K"}}) {
    if (is) {
      kinds.emplace_back(kind);
    }
  }
  return kinds;
}

std::vector<std::string_view> kinds_of(const GemmProblem& problem, const KernelConfig& config) {
  std::vector<std::string_view> kinds = kinds_of(problem);
  kinds.push_back(to_text(config.schedule));
  return kinds;
}

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
  const Shares& busy = simulated ? simulated->busy : form.shares;
  const double waves =
      static_cast<double>(work.tiles) / (static_cast<double>(gpu.sm.count) * work.ctas_per_sm);
  const bool swapped = config.operands == OperandOrder::kSwapped;
  const std::optional<BytesPerCycle> by_threads = plain_store_rate(gpu, problem, config);
  const double k = std::max(1.0, mean_k(problem));
  const Bytes c_of_tile{1.0 * t.block_m * t.block_n * c_column_bytes(problem)};
  const auto of_n = static_cast<double>((t.block_n - 1) % kSlabColumns + 1);
  ChipWork done = kernel_activity(gpu, problem, config, work).work;
  if (simulated) {
    done.l2 = simulated->l2;
    done.dram = simulated->dram;
  }
  const EnergySplit energy = energy_at_1_ghz(gpu, done, Inputs::kNormal);
  const auto of_energy = [&](Joules part) { return part / energy.total(); };
  const auto log = [](double value) {
    constexpr double kLeast = 1e-12;
    return std::log(std::max(value, kLeast));
  };
  return {
      {simulated ? std::log(share(simulated->cycles)) : 0,
       rate(work.shared_memory),
       rate(simulated ? simulated->l2 : Bytes{}),
       rate(simulated ? simulated->dram : Bytes{}),
       busy.tensor,
       busy.shared_memory,
       busy.sm_intake,
       busy.l2,
       busy.dram,

       form.shares.tensor,
       form.shares.shared_memory,
       form.shares.sm_intake,
       form.shares.l2,
       share(parts.dram),
       parts.mma / parts.step,
       parts.l2 / parts.step,
       parts.load / parts.step,
       std::log(share(parts.main_loops)),
       share(parts.ends),
       share(form.least),
       share(fused_time(*gpu.machine, problem.epilogue, 1.0 * t.block_m * t.block_n) *
             static_cast<double>(work.tiles_per_sm)),
       by_threads
           ? share(transfer_cycles(c_of_tile, *by_threads) * static_cast<double>(work.tiles_per_sm))
           : 0,
       std::log(sm_clock.value / si::kGiga),

       of_energy(energy.tensor),
       of_energy(energy.shared_memory),
       of_energy(energy.dram),

       log(k * static_cast<double>(element) / 2),
       log(work.k_blocks),
       log(work.k_blocks * static_cast<double>(work.tiles_per_sm)),
       groups_along(grouped_along_m(problem), problem),
       groups_along(grouped_along_k(problem), problem),
       number(is_fp8(problem.dtype)),
       number(promotes(problem)),
       log(static_cast<double>(work.tiles)),
       log(waves),
       used_of_last(waves),
       std::log(work.traffic.sm_intake / work.traffic.l2_to_sm),
       log(work.traffic.a_sharers),
       log(work.traffic.b_sharers),
       work.traffic.a_missing,
       work.traffic.b_missing,
       beyond_edge(m * matrices_of_c(problem), tile_rows(problem, t), i64{t.block_m} * t.cluster_m),
       beyond_edge(n, tile_columns(problem.shape, t), i64{t.block_n} * t.cluster_n),
       done.out_of_bounds.value / done.tensor.value,
       std::max(a_is_k_major(problem.layout) ? alignment(a_row(problem) * element) : 0,
                b_is_k_major(problem.layout) ? alignment(b_row(problem) * element) : 0),
       alignment((swapped && problem.leading.c == 0 ? m : c_row(problem)) *
                 element_bytes(c_type(problem))),

       std::log2(t.block_m * t.block_n),
       std::log2(1.0 * t.block_m / t.block_n),
       std::log2(1.0 * (t.block_m + t.block_n) * t.block_k * static_cast<double>(element)),
       std::log2(t.block_n),
       of_n / kSlabColumns,
       number(config.raster.kind == RasterKind::kHilbert),
       std::log2(t.stages),
       std::log2(t.warpgroups_m),
       std::log2(t.warpgroups_n),
       std::log2(parts.ctas),
       static_cast<double>(t.c_slots),
       narrowest_store(problem, config),

       number(has_producer_warpgroup(config.schedule)),
       number(config.grid == Grid::kResident),
       number(traits.tiles_at_once > 1),
       number(config.store == Store::kDeferred),
       work.shared ? std::log(std::max(1.0, work.shared->busiest.pieces)) : 0.0,
       std::log2(std::max(1, config.decomposition.splits))},
      simulated ? limiter_of(simulated->busy, form.limiter) : form.limiter,
      regime,
      kinds_of(problem, config)};
}

}  // namespace tilecast
