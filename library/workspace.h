// A run's workspace: the locks, then the partial sums at the next multiple of 256 bytes.
#pragma once

#include <cstddef>

#include "model/base/math.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/reduction_workspace.h"
#include "model/tile/swapped_operands.h"

namespace tilecast {

struct Workspace {
  std::size_t lock_bytes, partial_bytes;

  static constexpr std::size_t kAlignment = 256;
  constexpr std::size_t partials_at() const {
    return (lock_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  constexpr std::size_t bytes() const {
    return lock_bytes == 0 ? 0 : partials_at() + partial_bytes;
  }
};

constexpr Workspace workspace_of(const KernelConfig& config, const WorkDecomposition& work) {
  if (!splits_k(config.schedule)) {
    return {0, 0};
  }
  const ReductionWorkspace words = reduction_workspace(config, work);
  return {static_cast<std::size_t>(words.locks) * sizeof(u32),
          static_cast<std::size_t>(words.partials) * sizeof(float)};
}

/// On a GPU that holds `resident` workers.
constexpr Workspace workspace_of(const GemmProblem& problem, const KernelConfig& config,
                                 i32 resident) {
  if (!splits_k(config.schedule)) {
    return {0, 0};
  }
  const u32 workers = static_cast<u32>(resident);
  const TileScheduler scheduler = make_tile_scheduler(as_run(problem, config), config, workers);
  const i64 k_blocks = ceil_div<i64>(problem.shape.k, config.tiling.block_k);
  return workspace_of(
      config, make_work_decomposition(scheduler, static_cast<i32>(k_blocks), config, workers));
}

}  // namespace tilecast
