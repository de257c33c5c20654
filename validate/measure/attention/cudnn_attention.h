// cuDNN's attention as the baseline: its graph API's scaled dot product attention, the plan that
// its heuristics (mode A) put first, as torch takes it. A build without cuDNN's headers has none
// (cmake/TilecastCuda.cmake); libcudnn is opened when it is first used.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "kernels/jit/attention_launch.h"

namespace tilecast {

class CudnnAttention {
 public:
  /// Throws ConfigError where this build or machine has no cuDNN, or cuDNN does not support the
  /// problem.
  CudnnAttention(const AttentionProblem& problem, float scale);
  ~CudnnAttention();

  /// Tensors in the problem's layout.
  void run(const AttentionBuffers& buffers, cudaStream_t stream) const;

  /// "cuDNN 9.19.0, eng10_k24=0...".
  std::string description() const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace tilecast
