#include "model/sim/machine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/math.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

u32 cta_tiles_m(const TileScheduler& s, const Tiling& t) {
  return s.tiles_m * static_cast<u32>(t.cluster_m);
}
u32 cta_tiles_n(const TileScheduler& s, const Tiling& t) {
  return s.tiles_n * static_cast<u32>(t.cluster_n);
}

OperandBlocks::Side side_of_a(const GemmProblem& problem, const Tiling& t, const TileScheduler& s) {
  return {problem.shape.m, t.block_m, cta_tiles_m(s, t), t.cluster_n, false, problem.shape.k};
}

OperandBlocks::Side side_of_b(const GemmProblem& problem, const Tiling& t, const TileScheduler& s) {
  const bool n_major = problem.layout == Layout::kNn;
  return {problem.shape.n, t.block_n, cta_tiles_n(s, t),
          t.cluster_m,     n_major,   n_major ? problem.shape.n : problem.shape.k};
}

std::size_t all_blocks(const OperandBlocks& a, const OperandBlocks& b, const TileScheduler& s,
                       const Tiling& t) {
  return std::size_t{a.count()} + b.count() +
         std::size_t{cta_tiles_m(s, t)} * cta_tiles_n(s, t) *
             static_cast<std::size_t>(warpgroups_per_tile(t));
}

/// A fixed shuffle: which SM a worker runs on is the hardware's choice, and neighbouring workers
/// are not neighbours on the chip.
std::vector<u32> shuffled(u32 count) {
  const auto scattered = [](u32 x) {
    x = (x + 1) * 3266489917u;
    x = (x ^ (x >> 15)) * 2246822519u;
    return x ^ (x >> 13);
  };
  std::vector<u32> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return scattered(a) < scattered(b); });
  return order;
}

/// K blocks loaded and multiplied for one tile of a worker.
i64 steps_per_tile(const KernelConfig& config, i64 k_blocks) {
  return k_blocks * cluster_size(config.tiling) * (1 + warpgroups_per_tile(config.tiling));
}

i64 inside(i64 first, i64 length, i64 extent) { return std::clamp<i64>(extent - first, 0, length); }

}  // namespace

Machine::Machine(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& kernel,
                 Residency resident, Hertz sm_clock, Waves waves, Activity* activity_or_null,
                 std::vector<TileSpan>* tiles_or_null)
    : config(kernel),
      shape(problem.shape),
      residency(resident),
      costs(kernel_costs(gpu, kernel, sm_clock)),
      scheduler(make_tile_scheduler(problem.shape, kernel, static_cast<u32>(resident.workers))),
      k_blocks(static_cast<u32>(ceil_div<i64>(problem.shape.k, kernel.tiling.block_k))),
      work(make_work_decomposition(scheduler, static_cast<i32>(k_blocks), kernel,
                                   static_cast<u32>(resident.workers))),
      skipped(waves == Waves::kAll || splits_k(kernel.schedule)
                  ? SkippedWaves{}
                  : steady_waves(scheduler, static_cast<u32>(resident.workers),
                                 steps_per_tile(kernel, k_blocks))),
      a(gpu, problem, kernel, side_of_a(problem, kernel.tiling, scheduler), 0, sm_clock),
      b(gpu, problem, kernel, side_of_b(problem, kernel.tiling, scheduler), a.count(), sm_clock),
      memory(gpu, all_blocks(a, b, scheduler, kernel.tiling), activity_or_null),
      activity(activity_or_null),
      tiles(tiles_or_null),
      marks(steady_marks(skipped, scheduler, static_cast<u32>(resident.workers),
                         i64{cluster_size(kernel.tiling)} * warpgroups_per_tile(kernel.tiling))) {
  const u32 groups = static_cast<u32>(std::lround(gpu.l2->merge_groups));
  const u32 count = static_cast<u32>(gpu.sm.count);
  TILECAST_ASSERT(groups >= 1 && groups <= MemorySystem::kMostGroups);
  sms.resize(count);
  const std::vector<u32> order = shuffled(count);
  for (u32 place = 0; place < count; ++place) {
    sms[order[place]].group = place * groups / count;
  }
  if (splits_k(kernel.schedule)) {
    sums = std::make_unique<PartialSums>(engine, gpu, kernel, work, sm_clock);
  }
}

Progress Machine::progress() const {
  Progress now{.at = engine.now(),
               .traffic = memory.traffic(),
               .tensor_busy = {},
               .l2_busy = memory.l2_busy(),
               .dram_busy = memory.dram_busy()};
  for (const Sm& sm : sms) {
    now.tensor_busy += sm.tensor.busy();
  }
  return now;
}

i64 Machine::c_bytes(TileCoord at, i32 warpgroup) const {
  const Tiling& t = config.tiling;
  const i64 rows = warpgroup_rows(t);
  const i64 columns = warpgroup_columns(t);
  const i64 row = i64{at.m} * t.block_m + warpgroup / t.warpgroups_n * rows;
  const i64 column = i64{at.n} * t.block_n + warpgroup % t.warpgroups_n * columns;
  return inside(row, rows, shape.m) * inside(column, columns, shape.n) * kOperandBytes;
}

u32 Machine::c_block(TileCoord at, i32 warpgroup) const {
  const u32 tile = at.m * cta_tiles_n(scheduler, config.tiling) + at.n;
  return a.count() + b.count() + tile * static_cast<u32>(warpgroups_per_tile(config.tiling)) +
         static_cast<u32>(warpgroup);
}

}  // namespace tilecast
