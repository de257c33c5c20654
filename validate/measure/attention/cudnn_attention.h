// cuDNN's attention as the baseline: scaled dot product attention of its graph API, with the plan
// that its heuristics (mode A) rank first, as torch uses it. A build without cuDNN's headers has no
// such baseline (cmake/TilecastCuda.cmake); libcudnn is opened at first use.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "kernels/launch/bind_attention.h"

namespace tilecast {

class CudnnAttention {
 public:
  /// Throws ConfigError if this build or machine has no cuDNN, or if cuDNN does not support the
  /// problem.
  CudnnAttention(const AttentionProblem& problem, float scale);
  ~CudnnAttention();

  /// The tensors have the problem's layout.
  void run(const AttentionBuffers& buffers, cudaStream_t stream) const;

  /// Returns a description such as "cuDNN 9.19.0, eng10_k24=0...".
  std::string description() const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace tilecast
