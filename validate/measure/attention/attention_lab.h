// Attention in the benchmark harness: random Q, K and V, the whole output and its log-sum-exp
// compared with a reference on the device (attention_verifier.h), and cuDNN as the baseline.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/jit/attention_launch.h"
#include "validate/measure/attention/attention_verifier.h"
#include "validate/measure/lab_op.h"

namespace tilecast {

class AttentionLab final : public LabOp {
 public:
  using Problem = AttentionProblem;
  static std::vector<KernelSource> check_sources() { return attention_reference_sources(); }
  static std::vector<KernelSource> kernel_sources(const AttentionProblem& problem,
                                                  const AttentionConfig& config);

  explicit AttentionLab(const LabDevice& lab);

  void prepare(const AnyProblem& problem, Inputs inputs) override;
  const BufferSets& sets() const override { return sets_; }
  std::unique_ptr<Contender> contender(const std::string& config, Measurement& row) override;

 private:
  class Kernel;
  class Baseline;

  /// Checks one launch; the output memory is poisoned before it.
  Verdict check(const std::function<void(const AttentionBuffers&)>& launch);
  AttentionBuffers set(std::size_t index) const;

  LabDevice lab_;
  AttentionProblem problem_{};
  BufferSets sets_{};
  AttentionVerifier verifier_;
  DeviceMemory memory_;
};

}  // namespace tilecast
