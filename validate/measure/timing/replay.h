// A sequence of launches that is created once and replayed: a CUDA graph, at little cost to the
// host, or, if `as_graph` is false, individual launches each time.
#pragma once

#include <functional>

#include "validate/measure/device_memory.h"

namespace tilecast {

class Replay {
 public:
  Replay(cudaStream_t stream, bool as_graph, std::function<void()> enqueue)
      : stream_(stream), enqueue_(std::move(enqueue)) {
    if (!as_graph) {
      return;
    }
    cudaGraph_t graph = nullptr;
    TILECAST_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      enqueue_();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      cudaGraphDestroy(graph);
      throw;
    }
    TILECAST_CUDA(cudaStreamEndCapture(stream, &graph));
    const cudaError_t error = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    TILECAST_CUDA(error);
    TILECAST_CUDA(cudaGraphUpload(graph_, stream));
  }
  ~Replay() {
    if (graph_ != nullptr) {
      cudaGraphExecDestroy(graph_);
    }
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  void launch() const {
    if (graph_ == nullptr) {
      enqueue_();
    } else {
      TILECAST_CUDA(cudaGraphLaunch(graph_, stream_));
    }
  }

 private:
  cudaStream_t stream_;
  std::function<void()> enqueue_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace tilecast
