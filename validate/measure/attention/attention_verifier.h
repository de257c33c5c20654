// Verifies the result of attention. The whole output and every log-sum-exp are compared on the
// device with an fp32 reference for the same inputs (kernels/verify/reference_attention.cu). 4,096
// elements of the reference are checked against fp64 (reference_attention_rows.cu).
//
// Outputs start as poison, between guard bands. Bound of an element of O = sum w v, with the
// weights w rounded to the operands' type and u its unit roundoff:
//   2 u |O|                 rounding of O, and fp32 rounding of scores and sums
//   7 u sqrt(sum w^2 v^2)   each w is off by up to u of itself, independently of the others, so by
//                           Hoeffding one of 10^10 elements exceeds 7 of these
// In the norm: ||output - reference|| <= 4 u sqrt(2 / 3) ||reference||, four times the rounding of
// O and w. A log-sum-exp may be off by 2^-20 of itself, 2^-13 for the scores, and sqrt(keys) 2^-22
// for the sum of `keys` terms in fp32.
#pragma once

#include <functional>
#include <vector>

#include "kernels/jit/attention_launch.h"
#include "validate/measure/output_check.h"
#include "validate/measure/timing/kernel_set.h"

namespace tilecast {

/// The kernels of the reference, to be compiled ahead.
std::vector<KernelSource> attention_reference_sources();

class AttentionVerifier {
 public:
  AttentionVerifier(CubinCache& cache, const MicroKernels& kernels, const Stream& stream);

  /// Computes the reference of `problem` on these inputs. Throws Error if it disagrees with fp64.
  void prepare(const AttentionProblem& problem, const AttentionBuffers& inputs);

  /// `enqueue` enqueues one launch, which writes O and, if the problem requests it, the
  /// log-sum-exp.
  Verdict check(const std::function<void(void* o, float* lse)>& enqueue);

 private:
  OutputCheck compared(const void* output, const DeviceMemory& reference, ElementBound bound,
                       ElementType type, i64 columns, const GuardedOutput& guards);

  const MicroKernels& kernels_;
  const KernelSet reference_kernels_;
  const Stream& stream_;
  AttentionProblem problem_{};
  GuardedOutput o_, lse_;
  DeviceMemory reference_, deviations_, reference_lse_, result_;
};

}  // namespace tilecast
