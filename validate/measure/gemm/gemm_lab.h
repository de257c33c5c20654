// GEMM in the benchmark harness: random operands, cuBLASLt's fp32 GEMM as the reference
// (verifier.h), cuBLASLt as the baseline, and the tiles that a kernel walked as its identity.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/jit/operand_copier.h"
#include "validate/measure/gemm/cublaslt.h"
#include "validate/measure/gemm/identity.h"
#include "validate/measure/gemm/operands.h"
#include "validate/measure/gemm/verifier.h"
#include "validate/measure/lab_op.h"

namespace tilecast {

class GemmLab final : public LabOp {
 public:
  using Problem = GemmProblem;
  static std::vector<KernelSource> check_sources() { return reference_kernel_sources(); }
  static std::vector<KernelSource> kernel_sources(const GemmProblem& problem,
                                                  const KernelConfig& config);

  explicit GemmLab(const LabDevice& lab);

  void remember(const Measurement& row) override { (void)identity_.repeated(row); }
  void prepare(const AnyProblem& problem, Inputs inputs) override;
  const BufferSets& sets() const override { return operands_.sets(); }
  std::unique_ptr<Contender> contender(const std::string& config, Measurement& row) override;

 private:
  class Kernel;
  class Baseline;

  LabDevice lab_;
  Cublaslt cublaslt_;
  Operands operands_;
  OperandCopier copier_;
  Verifier verifier_;
  IdentityBook identity_;
  GemmProblem problem_{};
  std::optional<std::size_t> fastest_;  // cuBLASLt's fastest algorithm for the problem, if known
};

}  // namespace tilecast
