// Memory-bound operations in the benchmark harness. Each kernel's output is compared bit for bit
// over the whole problem, between guard bands; then the kernel is timed over rotating buffers that
// together exceed L2. The baseline of memcpy is the runtime's device-to-device copy, timed by
// CUPTI's records of copies.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/jit/loaded_kernel.h"
#include "model/stream/stream_config.h"
#include "validate/measure/lab_op.h"

namespace tilecast {

class StreamLab final : public LabOp {
 public:
  using Problem = StreamProblem;
  static std::vector<KernelSource> check_sources();
  static std::vector<KernelSource> kernel_sources(const StreamProblem& problem,
                                                  const StreamConfig& config);

  explicit StreamLab(const LabDevice& lab);

  void prepare(const AnyProblem& problem, Inputs inputs) override;
  const BufferSets& sets() const override { return sets_; }
  std::unique_ptr<Contender> contender(const std::string& config, Measurement& row) override;

 private:
  struct Set {
    void *a, *b, *c;
  };
  class Kernel;
  class RuntimeCopy;

  Set set(std::size_t index) const;
  /// Checks one launch, which `enqueue` enqueues, into poisoned memory.
  Verdict check(const std::function<void(void* c)>& enqueue);

  LabDevice lab_;
  LoadedKernel check_;
  StreamProblem problem_{};
  std::size_t matrix_bytes_ = 0;
  BufferSets sets_{};
  GuardedOutput output_;
  DeviceMemory memory_, result_;
};

}  // namespace tilecast
