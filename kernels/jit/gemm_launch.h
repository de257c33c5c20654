// One GEMM problem run by one compiled configuration. Made once; bound once per set of buffers;
// launched many times with nothing left to compute.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/zeroed_memory.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"
#include "model/tile/reduction_workspace.h"

namespace tilecast {

/// Device pointers, 16-byte aligned; shapes, order and leading dimensions as GemmProblem says, but
/// for an operand that is copied (operand_copies.h) its copy's.
struct GemmBuffers {
  const void* a;
  const void* b;
  void* c;
  const void* bias =
      nullptr;  // of a problem whose epilogue has one; bias_elements() of half_type()
  // Of a batch, from one product's matrix to the next's: elements, whole 16 bytes where the copy
  // engine moves them; 0: one lies behind the other. Not read of an operand that all share.
  i64 a_matrix_stride = 0, b_matrix_stride = 0, c_matrix_stride = 0;
  ScaleArgs scales = {};  // of a problem whose operands have them; strides of 0: tight
  // Of groups, of each the row behind its last, of masked ones how many it has. Read by each
  // launch, so that they may change between two; the problem's rows of the groups are what the walk
  // and its trace were planned for.
  const i32* group_rows = nullptr;
  // Of a problem whose epilogue has them: R, of C's type and shape, which may be `c`; elements from
  // one row of it to the next, and of a batch from one matrix to the next, 0: as C's. An fp32
  // number that C is scaled by, and one that becomes the largest magnitude, if that is larger.
  const void* residual = nullptr;
  i64 residual_row = 0, residual_matrix_stride = 0;
  const float* scale_c = nullptr;
  float* amax = nullptr;
};

/// Who has the memory that a kernel which splits K needs between its pieces.
enum class WorkspaceOwner {
  kLaunch,  // its launches must follow each other
  kCaller,  // puts `partials` and `locks` into what bind() returns
};

/// C = alpha A B + beta C, in fp32 before C is rounded. C is not read where beta is 0.
struct Scaling {
  float alpha = 1, beta = 0;

  constexpr bool operator==(const Scaling&) const = default;
};

class GemmLaunch {
 public:
  /// `kernel` is the compiled `config` for the problem's dtype and layout and epilogue and this
  /// scale, and must outlive this.
  /// Asks the device for occupancy; throws Error where it cannot hold one CTA or cluster, and
  /// ConfigError where K cannot be split as `config` says.
  GemmLaunch(LoadedKernel& kernel, const GemmProblem& problem, const KernelConfig& config,
             SumScale scale = SumScale::kNone, WorkspaceOwner owner = WorkspaceOwner::kLaunch);

  /// Encodes the tensor maps for these buffers; scales only with SumScale::kAlphaBeta. To record
  /// the tiles walked, set `trace` and `trace_stride` (at least max_tiles_per_cta()) in the result.
  GemmArgs bind(const GemmBuffers& buffers, Scaling scaling = {}) const;

  void launch(const GemmArgs& args, cudaStream_t stream) const;

  const LaunchShape& shape() const { return shape_; }
  const GemmProblem& problem() const { return problem_; }  // as it is run
  const KernelConfig& config() const { return config_; }
  const TileScheduler& scheduler() const { return scheduler_; }
  i32 resident_ctas_per_sm() const { return resident_ctas_per_sm_; }
  /// Workers that fit on the device at once; the grid of a persistent kernel is at most this.
  i32 resident_workers() const { return resident_workers_; }
  const WorkDecomposition& work() const { return work_; }
  /// Whoever owns it.
  ReductionWorkspace workspace() const;
  /// Tiles, or pieces of them, that one CTA takes at most.
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
