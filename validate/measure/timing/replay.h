// A sequence of launches that is made once and replayed: a CUDA graph, or, where `as_graph` is
// false, the launches themselves each time.
#pragma once

#include <functional>
#include <optional>

#include "validate/measure/device_memory.h"

namespace tilecast {

class Replay {
 public:
  Replay(cudaStream_t stream, bool as_graph, std::function<void()> enqueue)
      : stream_(stream), enqueue_(std::move(enqueue)) {
    if (as_graph) {
      graph_.emplace(stream_, enqueue_);
    }
  }

  void launch() const { graph_ ? graph_->launch(stream_) : enqueue_(); }

 private:
  cudaStream_t stream_;
  std::function<void()> enqueue_;
  std::optional<Graph> graph_;
};

}  // namespace tilecast
