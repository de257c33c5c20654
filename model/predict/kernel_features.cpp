#include "model/predict/kernel_features.h"

#include <algorithm>
#include <cmath>

#include "model/base/math.h"
#include "model/sim/same_simulation.h"
#include "model/tile/operand_copies.h"
#include "model/tile/tile_scheduler.h"

namespace tilecast {
namespace {

double number(bool is) { return is ? 1.0 : 0.0; }

/// The next tile's loads run under this one's stores, without a warp of their own.
bool loads_under_stores(const ScheduleTraits& traits) {
  return traits.loads_run_ahead && traits.loader == Loader::kMultiplier;
}

/// 0: rows of so many bytes start on lines of 128; 1, 2, 3: on 64, 32, 16 only.
double alignment(i64 bytes) {
  return bytes % 128 == 0 ? 0 : bytes % 64 == 0 ? 1 : bytes % 32 == 0 ? 2 : 3;
}

/// Part of what so many whole tiles cover along one side that lies out of bounds.
double beyond_edge(i64 side, i64 tiles, i64 tile) {
  return 1 - static_cast<double>(side) / static_cast<double>(tiles * tile);
}

/// Part of the last of so many rounds that is used.
double used_of_last(double rounds) { return rounds / std::max(1.0, std::ceil(rounds)); }

}  // namespace

KernelFeatures kernel_features(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work,
                               const ClosedForm& form, Hertz sm_clock, Cycles simulated,
                               Regime regime) {
  const i64 m = problem.shape.m, n = problem.shape.n;
  const Tiling& t = config.tiling;
  const FormParts& parts = form.parts;
  const ScheduleTraits traits = traits_of(config.schedule);
  const i64 element = element_bytes(problem.dtype);
  const auto share = [&](Cycles cycles) { return cycles / form.cycles; };
  const double slots = static_cast<double>(work.tiles_per_sm) / parts.ctas;
  const double waves =
      static_cast<double>(work.tiles) / (static_cast<double>(gpu.sm.count) * work.ctas_per_sm);
  const i32 columns = warpgroup_columns(t);
  const RasterKind order = simplest(config.raster, problem, t).kind;
  return {
      {simulated.value > 0 ? std::log(share(simulated)) : 0,
       form.shares.tensor,
       form.shares.shared_memory,
       share(parts.dram),
       parts.mma / parts.step,
       parts.l2 / parts.step,
       std::log(parts.load / parts.step),
       std::log(time_of(form.cycles, sm_clock).value),
       std::log(sm_clock.value / 1e9),
       std::log1p(bytes_of_c(problem) / (form.cycles.value * gpu.sm.count)),

       std::log(std::max(1.0, mean_k(problem))),
       grouped_along_m(problem) ? std::log2(static_cast<double>(problem.groups->not_empty())) : 0,
       used_of_last(slots),
       used_of_last(waves),
       std::log(work.traffic.a_sharers),
       std::log(work.traffic.b_sharers),
       beyond_edge(m * matrices_of_c(problem), tile_rows(problem, t), i64{t.block_m} * t.cluster_m),
       beyond_edge(n, tile_columns(problem.shape, t), i64{t.block_n} * t.cluster_n),
       std::max(a_is_k_major(problem.layout) ? alignment(a_row(problem) * element) : 0,
                b_is_k_major(problem.layout) ? alignment(b_row(problem) * element) : 0),
       alignment((problem.leading.c != 0                      ? problem.leading.c
                  : config.operands == OperandOrder::kSwapped ? m
                                                              : n) *
                 element),  // of C's rows
       number(order == RasterKind::kGroupedN),
       number(order == RasterKind::kHilbert),

       std::log2(t.block_m),
       std::log2(t.block_n),
       static_cast<double>((columns - 1) % kSlabColumns + 1) / kSlabColumns,
       std::log2(t.stages * t.block_k),
       std::log2(t.warpgroups_m),
       std::log2(parts.ctas),
       std::log2(t.cluster_m),
       std::log2(t.cluster_n),
       static_cast<double>(config.inflight),

       has_producer_warpgroup(config.schedule) ? 1.0 : 0.0,
       config.grid == Grid::kResident ? 1.0 : 0.0,
       number(traits.tiles_at_once > 1),
       number(loads_under_stores(traits)),
       number(traits.buffers == Buffers::kRing),
       work.shared ? std::log(std::max(1.0, work.shared->busiest.pieces)) : 0.0,
       splits_k(config.schedule) && config.decomposition.reduction == Reduction::kSpread ? 1.0
                                                                                         : 0.0,
       number(traits.hybrid)},
      form.limiter,
      regime};
}

}  // namespace tilecast
