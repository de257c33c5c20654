#include "model/gemm/sim/kernel/gemm_kernel.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/config/warpgroup_part.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/sim/kernel/inside.h"
#include "model/gemm/sim/kernel/sum_plan.h"

namespace tilecast {
namespace {

OperandBlocks::Side side_of_a(const GemmProblem& problem, const KernelConfig& config,
                              const OperandPanels& panels, const std::vector<TileRow>& rows) {
  const Tiling& t = config.tiling;
  const u32 matrices =
      static_cast<u32>(grouped_along_k(problem) ? matrices_of_c(problem) : matrices_of_a(problem));
  const bool k_major = a_is_k_major(problem.layout);
  return {problem.shape.m,
          t.block_m,
          panels.of_a() / matrices,
          matrices,
          t.cluster_n,
          !k_major,
          a_row(problem),
          loads_existing_rows(problem, config) ? a_rows_step(t, problem.layout) : 0,
          &rows};
}

OperandBlocks::Side side_of_b(const GemmProblem& problem, const Tiling& t,
                              const OperandPanels& panels) {
  return {problem.shape.n,  t.block_n,
          panels.columns(), panels.matrices_of_b(),
          t.cluster_m,      !b_is_k_major(problem.layout),
          b_row(problem),   0};
}

/// K blocks of each row of CTA tiles; empty if all are equal.
std::vector<u32> k_blocks_of_tile_rows(const GemmProblem& problem, const Tiling& tiling,
                                       std::size_t rows) {
  std::vector<u32> all;
  if (grouped_along_k(problem)) {
    const std::vector<u32> of_products = k_blocks_of_products(problem, tiling);
    for (const u32 k_blocks : of_products) {
      all.insert(all.end(), rows / of_products.size(), k_blocks);
    }
  }
  return all;
}

/// Whether L2 can hold the operands. If so, only the first waves read them from DRAM, and they do
/// not represent the others.
bool keeps_operands(const GpuSpec& gpu, const GemmProblem& problem) {
  return bytes_of_a(problem) + bytes_of_b(problem) <
         gpu.l2->capacity.value * gpu.l2->usable_fraction;
}

/// C's fraction of the kernel's bytes in L2.
double written_share(const GemmProblem& problem) {
  const double c = bytes_of_c(problem);
  return c / (c + bytes_of_a(problem) + bytes_of_b(problem));
}

}  // namespace

GemmKernel::GemmKernel(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& kernel,
                       Residency resident, Hertz sm_clock, Waves waves, Observers observers,
                       const Rerun* again)
    : config(kernel),
      shape(problem.shape),
      c_column_bytes(tilecast::c_column_bytes(problem)),
      panels(OperandPanels::of_ctas(problem, kernel.tiling)),
      rows(cta_tile_rows(problem, kernel.tiling)),
      residency(resident),
      scheduler(make_tile_scheduler(problem, kernel, static_cast<u32>(resident.workers))),
      k_blocks_of_rows(k_blocks_of_tile_rows(problem, kernel.tiling, rows.size())),
      k_blocks(std::ranges::max(k_blocks_of_products(problem, kernel.tiling))),
      work(make_work_decomposition(scheduler, static_cast<i32>(k_blocks), kernel,
                                   static_cast<u32>(resident.workers))),
      whole(whole_waves(scheduler, work, static_cast<u32>(resident.workers))),
      skipped(waves == Waves::kAll || kernel.grid != Grid::kResident
                  ? SkippedWaves{}
                  : steady_waves(whole, problem, kernel, scheduler, k_blocks)),
      a(gpu, problem, kernel, side_of_a(problem, kernel, panels, rows), 0, dram_box_rate(gpu),
        sm_clock),
      b(gpu, problem, kernel, side_of_b(problem, kernel.tiling, panels), a.count(),
        dram_box_rate(gpu), sm_clock),
      chip(gpu, sm_clock, again != nullptr ? 0 : a.count() + b.count(), observers.activity,
           resident.cold ? 0 : written_share(problem)),
      tiles(observers.tiles),
      requests(observers.requests),
      steps(observers.steps),
      marks(steady_marks(skipped, whole,
                         i64{cluster_size(kernel.tiling)} * warpgroups_per_tile(kernel.tiling))) {
  if (waves == Waves::kSteadyLeftOut && kernel.grid != Grid::kResident &&
      !is_cheap(whole, steps_per_tile(kernel, k_blocks))) {
    const u32 latest = latest_wave(whole, steps_per_tile(kernel, k_blocks));
    if (again == nullptr) {
      const bool can_tell = kernel.grid != Grid::kTakeover || !keeps_operands(gpu, problem);
      rate.emplace(can_tell ? 0 : latest, latest);
    } else if (const std::optional<u32> wave = again->requests.settled_wave) {
      rate.emplace(*wave, *wave);
    }
  }
  if (again != nullptr) {
    chip.memory.replay(again->requests);
  } else if (requests != nullptr) {
    *requests = {RequestLog(2 * k_blocks), {}, {}, {}};
    chip.memory.record(*requests);
  }
  const i32 gpcs = gpu.machine->gpcs;
  if (splits_k(kernel.schedule)) {
    sums = std::make_unique<PartialSums>(chip.engine, gpu,
                                         again != nullptr ? again->sums : *gpu.reduction,
                                         sum_plan(kernel, work), sm_clock);
  }
  const i32 size = cluster_size(kernel.tiling);
  const i32 ctas = static_cast<i32>(std::min<i64>(i64{workers()} * size, 1 << 30));
  for (i32 gpc = 0; gpc < gpcs; ++gpc) {
    // With static tiles the slowest SMs end the kernel. They represent all SMs, which keeps events
    // together and the simulation fast; otherwise GPCs drift apart.
    const double place =
        kernel.grid == Grid::kResident || gpcs == 1 ? -1 : 2.0 * gpc / (gpcs - 1) - 1;
    const double clock = sm_clock.value * (1 + place * gpu.machine->gpc_clock_spread);
    costs.push_back(kernel_costs(gpu, problem, kernel, ctas, resident.cold, Hertz{clock}));
  }
  places = places_of(gpu.sm.count, gpcs, size, ctas);
}

Progress GemmKernel::progress() const {
  return {.at = chip.engine.now(),
          .traffic = chip.memory.traffic(),
          .tensor_busy = chip.tensor_busy(),
          .l2_busy = chip.memory.l2_busy(),
          .dram_busy = chip.memory.dram_busy()};
}

i64 GemmKernel::c_bytes(TileCoord at, i32 warpgroup) const {
  const Tiling& t = config.tiling;
  const auto [row, column] = warpgroup_part(t, warpgroup);
  return inside(row, warpgroup_rows(t), rows[at.m].of_c) *
         inside(i64{at.n} * t.block_n + column, warpgroup_columns(t), shape.n) * c_column_bytes;
}

i64 GemmKernel::residual_bytes(TileCoord at, i32 first, i32 end) const {
  const Tiling& t = config.tiling;
  const i32 across = ceil_div(warpgroup_columns(t), c_slot_columns(t));
  i64 elements = 0;
  for (i32 warpgroup = 0; warpgroup < warpgroups_per_tile(t); ++warpgroup) {
    const auto [row, column] = warpgroup_part(t, warpgroup);
    for (i32 chunk = first; chunk < end; ++chunk) {
      const i32 in_part = chunk % across * c_slot_columns(t);
      const i32 columns = std::min(c_slot_columns(t), warpgroup_columns(t) - in_part);
      elements += inside(row + chunk / across * kWgmmaM, kWgmmaM, rows[at.m].of_c) *
                  inside(i64{at.n} * t.block_n + column + in_part, columns, shape.n);
    }
  }
  return elements * c_column_bytes;
}

u32 GemmKernel::tile_index(TileCoord at) const { return at.m * panels.columns() + at.n; }

u64 GemmKernel::c_block(TileCoord at, i32 warpgroup) const {
  return u64{tile_index(at)} * static_cast<u64>(warpgroups_per_tile(config.tiling)) +
         static_cast<u64>(warpgroup);
}

}  // namespace tilecast
