#include "model/predict/candidates.h"

#include <span>

#include "model/base/math.h"
#include "model/predict/legality.h"

namespace tilecast {
namespace {

constexpr i32 kBlockM[] = {64, 128, 192, 256};
constexpr i32 kBlockN[] = {64, 96, 128, 160, 192, 224, 256};
constexpr i32 kBlockK[] = {64, 128};
// Where the model sees no difference the first one listed wins: more stages absorb more jitter.
constexpr i32 kStages[] = {8, 6, 5, 4, 3, 2};
constexpr i32 kWarpgroups[] = {1, 2, 3};
constexpr i32 kInflight[] = {1, 0};
constexpr struct {
  i32 m, n;
} kClusters[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};
constexpr Raster kRasters[] = {{RasterKind::kGroupedM, 1},  {RasterKind::kGroupedM, 4},
                               {RasterKind::kGroupedM, 8},  {RasterKind::kGroupedM, 16},
                               {RasterKind::kGroupedN, 4},  {RasterKind::kGroupedN, 8},
                               {RasterKind::kGroupedN, 16}, {RasterKind::kChunked, 1}};

/// A cluster wider than C has CTAs that only load for others: it runs, and never pays.
bool wider_than_c(const GemmShape& shape, const Tiling& t) {
  return ceil_div<i64>(shape.m, t.block_m) < t.cluster_m ||
         ceil_div<i64>(shape.n, t.block_n) < t.cluster_n;
}

/// Every raster of one kernel: whether it is legal depends on the raster only where it is chunked.
void add_rasters(const GpuSpec& gpu, const GemmProblem& problem, KernelConfig config,
                 Candidates& candidates) {
  config.raster = kRasters[0];
  const Refusal kernel = wider_than_c(problem.shape, config.tiling)
                             ? Refusal::kCluster
                             : check_legal(gpu, problem, config);
  for (const Raster& raster : kRasters) {
    config.raster = raster;
    const Refusal refusal = kernel == Refusal::kNone && raster.kind == RasterKind::kChunked
                                ? check_legal(gpu, problem, config)
                                : kernel;
    if (refusal == Refusal::kNone) {
      candidates.legal.push_back(config);
    } else {
      ++candidates.rejected[std::string(to_text(refusal))];
    }
  }
}

void add_tilings(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule,
                 Candidates& candidates) {
  const bool specialised = schedule == Schedule::kWarpSpecialized;
  for (const i32 block_m : kBlockM) {
    for (const i32 block_n : kBlockN) {
      for (const i32 block_k : kBlockK) {
        for (const i32 stages : kStages) {
          for (const i32 warpgroups : kWarpgroups) {
            for (const auto& cluster : kClusters) {
              if (!specialised && cluster.m * cluster.n > 1) {
                continue;
              }
              for (const i32 ctas : {1, 2}) {
                for (const i32 inflight : kInflight) {
                  const Tiling tiling{block_m,    block_n,   block_k,  stages,
                                      warpgroups, cluster.m, cluster.n};
                  add_rasters(gpu, problem, {schedule, tiling, ctas, inflight, {}}, candidates);
                }
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace

Candidates enumerate_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                                const std::vector<Schedule>& schedules) {
  Candidates candidates;
  for (const Schedule schedule :
       schedules.empty() ? std::span<const Schedule>(kEverySchedule) : schedules) {
    add_tilings(gpu, problem, schedule, candidates);
  }
  return candidates;
}

}  // namespace tilecast
