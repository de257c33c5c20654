// A GEMM's workspace: locks, partial sums, copies of A and of B, each if needed and aligned to 256
// bytes.
#pragma once

#include <cstddef>

#include "library/gemm_request.h"
#include "model/base/math.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/order/reduction_workspace.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {

struct Workspace {
  std::size_t lock_bytes = 0, partial_bytes = 0, a_bytes = 0, b_bytes = 0;

  static constexpr std::size_t kAlignment = 256;
  constexpr std::size_t partials_at() const { return round_up(lock_bytes, kAlignment); }
  /// Number of leading bytes that must be zero before a run, and are zero after it.
  constexpr std::size_t zero_bytes() const {
    return lock_bytes == 0 ? 0 : partials_at() + partial_bytes;
  }
  constexpr std::size_t a_at() const { return round_up(zero_bytes(), kAlignment); }
  constexpr std::size_t b_at() const { return round_up(a_at() + a_bytes, kAlignment); }
  constexpr std::size_t bytes() const {
    return b_bytes != 0 ? b_at() + b_bytes : a_bytes != 0 ? a_at() + a_bytes : zero_bytes();
  }
};

inline Workspace workspace_of(const GemmProblem& problem, const KernelConfig& config,
                              const WorkDecomposition& work) {
  const CopyBytes copies = copy_bytes(problem);
  Workspace workspace{.a_bytes = static_cast<std::size_t>(copies.a),
                      .b_bytes = static_cast<std::size_t>(copies.b)};
  if (splits_k(config.schedule)) {
    const ReductionWorkspace words = reduction_workspace(config, work);
    workspace.lock_bytes = static_cast<std::size_t>(words.locks) * sizeof(u32);
    workspace.partial_bytes = static_cast<std::size_t>(words.partials) * sizeof(float);
  }
  return workspace;
}

/// Workspace on a GPU with `resident` workers.
inline Workspace workspace_of(const GemmProblem& problem, const KernelConfig& config,
                              i32 resident) {
  if (!splits_k(config.schedule)) {
    return workspace_of(problem, config, WorkDecomposition{});
  }
  const u32 workers = static_cast<u32>(resident);
  const TileScheduler scheduler = make_tile_scheduler(as_run(problem, config), config, workers);
  const i64 k_blocks = ceil_div<i64>(problem.shape.k, config.tiling.block_k);
  return workspace_of(
      problem, config,
      make_work_decomposition(scheduler, static_cast<i32>(k_blocks), config, workers));
}

/// Size in bytes for a GPU that is absent.
inline std::size_t workspace_bytes(const GemmRequest& request, const GpuSpec& gpu,
                                   const KernelConfig& config) {
  return workspace_of(request.problem, config, resident_workers(gpu, config)).bytes();
}

}  // namespace tilecast
