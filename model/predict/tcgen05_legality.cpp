#include "model/predict/tcgen05_legality.h"

#include "model/analytic/occupancy.h"
#include "model/base/math.h"
#include "model/tile/smem_layout.h"
#include "model/tile/tensor_memory.h"

namespace tilecast {
namespace {

constexpr i32 kTcgen05MostWarpgroups = 2;  // that store
constexpr i32 kTcgen05MostInflight = 2;
constexpr i32 kTcgen05MostCtas = 32;
constexpr i32 kTcgen05MostStages = 64;
constexpr i32 kTcgen05MostSlots = 64;
constexpr i32 kTcgen05MostGroup = 2;
constexpr i32 kTcgen05MostBlockN = 256;
constexpr i32 kTcgen05MostBlockK = 2048;

/// Counts that no kernel takes, or that could leave 32 bits when multiplied.
bool tcgen05_counts_exist(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  return config.ctas_per_sm <= kTcgen05MostCtas && config.inflight <= kTcgen05MostInflight &&
         t.stages <= kTcgen05MostStages && t.c_slots <= kTcgen05MostSlots && t.warpgroups_m == 1 &&
         t.warpgroups_n <= kTcgen05MostWarpgroups && config.accumulators <= kMostAccumulators &&
         t.cluster_n == 1;
}

/// C borrows stages (c_slots 0) where no load can come in meanwhile.
bool tcgen05_staging_allowed(const KernelConfig& config) {
  return config.tiling.c_slots > 0 || config.grid == Grid::kTiles ||
         traits_of(config.schedule).borrows_b_stages;
}

bool tcgen05_schedule_allows(const GemmProblem& problem, const KernelConfig& config) {
  const bool chunks = config.raster.walk == Walk::kChunked;
  return problem.layout == Layout::kTn && !(chunks && config.grid != Grid::kResident) &&
         max_of(1, config.inflight) < config.tiling.stages && tcgen05_staging_allowed(config);
}

/// One instruction for the whole tile, and whole slots of C.
bool whole_mmas(const Tiling& t) {
  return t.block_m == kTcgen05BlockM && t.block_n <= kTcgen05MostBlockN &&
         t.block_n % (t.warpgroups_n * kTcgen05NStep) == 0 && t.block_k % kSlabElements == 0;
}

}  // namespace

Refusal check_tcgen05(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  if (!tcgen05_counts_exist(config)) {
    return Refusal::kSchedule;
  }
  if (cta_group(t) > kTcgen05MostGroup) {
    return Refusal::kCluster;
  }
  if (!tcgen05_schedule_allows(problem, config)) {
    return Refusal::kSchedule;
  }
  if (!whole_mmas(t)) {
    return Refusal::kWgmmaShape;
  }
  if (t.block_k > kTcgen05MostBlockK || !c_fits_where_it_is_staged(config.schedule, t) ||
      ctas_by_shared_memory(gpu, config) == 0) {
    return Refusal::kSharedMemory;
  }
  if (!tensor_memory_suffices(config)) {
    return Refusal::kTensorMemory;
  }
  if (threads_per_cta(config.schedule, t) * config.ctas_per_sm > gpu.sm.max_threads ||
      !registers_suffice(gpu, config)) {
    return Refusal::kRegisters;
  }
  if (resident_ctas(gpu, config) < config.ctas_per_sm) {
    return Refusal::kOccupancy;
  }
  return Refusal::kNone;
}

}  // namespace tilecast
