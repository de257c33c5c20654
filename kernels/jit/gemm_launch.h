// Launches one GEMM problem with one compiled configuration. It is constructed once, bound once per
// set of buffers, and launched many times without further computation.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/zeroed_memory.h"
#include "kernels/launch/bind_gemm.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/order/reduction_workspace.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// C = alpha A B + beta C, in fp32 before C is rounded. C is not read if beta is 0.
struct Scaling {
  float alpha = 1, beta = 0;

  constexpr bool operator==(const Scaling&) const = default;
};

class GemmLaunch {
 public:
  /// `kernel`: the compiled `config` for the problem's dtype, layout, epilogue and this scale,
  /// which must outlive this object. Queries the device's occupancy. Throws Error if the device
  /// cannot hold one CTA or cluster, and ConfigError if K cannot be split as `config` specifies.
  GemmLaunch(LoadedKernel& kernel, const GemmProblem& problem, const KernelConfig& config,
             SumScale scale = SumScale::kNone, WorkspaceOwner owner = WorkspaceOwner::kLaunch);

  /// Encodes the tensor maps for these buffers; `scaling` requires SumScale::kAlphaBeta. If the
  /// workspace's owner is kCaller, set `partials` and `locks` in the result. To record the tiles
  /// walked, set `trace` and `trace_stride` (at least max_tiles_per_cta()).
  GemmArgs bind(const GemmBuffers& buffers, Scaling scaling = {}) const;

  void launch(const GemmArgs& args, cudaStream_t stream) const;

  const LaunchShape& shape() const { return shape_; }
  const GemmProblem& problem() const { return problem_; }  // the problem as run by the kernel
  const KernelConfig& config() const { return config_; }
  const TileScheduler& scheduler() const { return scheduler_; }
  i32 resident_ctas_per_sm() const { return resident_ctas_per_sm_; }
  /// Number of workers that fit on the device at once: an upper bound for the grid of a persistent
  /// kernel.
  i32 resident_workers() const { return resident_workers_; }
  const WorkDecomposition& work() const { return work_; }
  /// Size of the workspace in bytes; any owner may allocate it.
  ReductionWorkspace workspace() const;
  /// Maximum number of tiles, or pieces of tiles, of one CTA.
  u32 max_tiles_per_cta() const;

 private:
  const LoadedKernel* kernel_;
  GemmProblem problem_;
  KernelConfig config_;
  SumScale scale_;
  LaunchShape shape_;
  TileScheduler scheduler_{};
  WorkDecomposition work_{};
  ZeroedMemory partials_, locks_;
  i32 resident_ctas_per_sm_ = 0;
  i32 resident_workers_ = 0;
};

}  // namespace tilecast
