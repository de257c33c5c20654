#include <cuda_runtime_api.h>

#include "library/cuda_status.h"
#include "library/timed_runs.h"

namespace tilecast {
namespace {

/// Throws if the status is a failure, with the thread's error text.
void require(tilecast_status status) {
  if (status != TILECAST_OK) {
    throw StatusError(status, error_text());
  }
}

class GraphRuns final : public TimedRuns {
 public:
  explicit GraphRuns(int runs) : runs_(runs) {}
  ~GraphRuns() override {
    cudaGraphExecDestroy(graph_);
    cudaFree(workspace_);
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
    cudaStreamDestroy(stream_);
  }
  GraphRuns(const GraphRuns&) = delete;
  GraphRuns& operator=(const GraphRuns&) = delete;

  void capture(const Plan& plan, const RunWith& run) {
    TILECAST_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    TILECAST_CUDA(cudaEventCreate(&begin_));
    TILECAST_CUDA(cudaEventCreate(&end_));
    const std::size_t bytes = plan.workspace_bytes();
    if (bytes != 0) {
      TILECAST_CUDA(cudaMalloc(&workspace_, bytes));
    }
    require(plan.clear(workspace_, bytes, stream_));
    TILECAST_CUDA(cudaStreamSynchronize(stream_));
    TILECAST_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    tilecast_status status = TILECAST_OK;
    for (int i = 0; i < runs_ && status == TILECAST_OK; ++i) {
      status = run(workspace_, bytes, stream_);
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    require(status);
    TILECAST_CUDA(ended);
    const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    TILECAST_CUDA(made);
  }

  double microseconds() override {
    return with_cuda_status([&] {
      TILECAST_CUDA(cudaEventRecord(begin_, stream_));
      TILECAST_CUDA(cudaGraphLaunch(graph_, stream_));
      TILECAST_CUDA(cudaEventRecord(end_, stream_));
      TILECAST_CUDA(cudaEventSynchronize(end_));
      float milliseconds = 0;
      TILECAST_CUDA(cudaEventElapsedTime(&milliseconds, begin_, end_));
      return 1000.0 * milliseconds / runs_;
    });
  }

 private:
  int runs_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  void* workspace_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

std::unique_ptr<TimedRuns> make_timed_runs(const Plan& plan, const RunWith& run, int runs) {
  return with_cuda_status([&]() -> std::unique_ptr<TimedRuns> {
    auto timed = std::make_unique<GraphRuns>(runs);
    timed->capture(plan, run);
    return timed;
  });
}

void wait_for(void* stream) {
  with_cuda_status(
      [&] { TILECAST_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream))); });
}

}  // namespace tilecast
