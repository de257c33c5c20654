// Launches one attention problem with one compiled configuration. It is constructed once, bound
// once per set of buffers, and launched many times without further computation.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/jit/attention_source.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/zeroed_memory.h"
#include "kernels/launch/bind_attention.h"

namespace tilecast {

/// The usual softmax scale: 1 / sqrt(head_dim).
float usual_scale(const AttentionProblem& problem);

class AttentionLaunch {
 public:
  /// `kernel`: the compiled `config` for the problem, which must outlive this object. Throws Error
  /// if the device cannot hold one CTA.
  AttentionLaunch(LoadedKernel& kernel, const AttentionProblem& problem,
                  const AttentionConfig& config, WorkspaceOwner owner = WorkspaceOwner::kLaunch);

  /// `scale`: softmax scale, positive.
  AttentionArgs bind(const AttentionBuffers& buffers, float scale) const;

  void launch(const AttentionArgs& args, cudaStream_t stream) const;

  /// Sets the workspace in the result of bind(). `counters` are zero between launches.
  void use_workspace(u32* counters, float* partials, AttentionArgs& args) const noexcept;

  const LaunchShape& shape() const { return shape_; }
  /// Size of the workspace.
  const AttentionWorkspace& workspace() const { return workspace_; }
  i32 resident_ctas_per_sm() const { return resident_ctas_per_sm_; }

 private:
  const LoadedKernel* kernel_;
  AttentionProblem problem_;
  AttentionConfig config_;
  AttentionWork work_;
  AttentionWorkspace workspace_;
  LaunchShape shape_;
  i32 resident_ctas_per_sm_ = 0;
  ZeroedMemory counters_, partials_;
};

}  // namespace tilecast
