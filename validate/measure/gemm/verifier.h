// Verifies a GEMM's result. It is compared on the device with cuBLASLt's fp32 result for the same
// inputs, which is checked against fp64 dot products (kernels/verify/reference_gemm.cu); an
// epilogue is applied to the reference in fp64 (apply_epilogue.cu).
//
// The output starts as poison (NaN), between guard bands of 256 KiB. A result is right if every
// element is written, no guard is changed, each element within 2 u |reference| + 0.01
// rms(reference), and ||output - reference|| <= 4 u / sqrt(3) ||reference||, with u the unit
// roundoff of the type (2^-11 for fp16, 2^-8 for bf16): four times the rounding error of the output
// alone. NaN is wrong. With masked groups, the unused capacity after their rows is a guard too.
//
// cuBLASLt may split K and add up partial sums in C's type. Each is rounded, and the largest of
// millions of normal sums lie 5.5 standard deviations from zero, so for s splits both bounds are
// wider: by 5.5 u sqrt(s) rms(reference), and by u / sqrt(3) sqrt(s - 1) ||reference||. Of 599
// algorithms for 80 unaligned bf16 GEMMs on an H200, none exceeds 0.47 of the first bound or 0.31
// of the second. 84 of the 291 that round partial sums exceed the bounds for one rounding; none of
// the others does.
//
// fp8 operands are compared with the product of the same numbers in fp16. The tensor core aligns an
// fp8 wgmma's products and its accumulator to the largest of them and keeps 13 bits after its
// leading one: an error of at most 2^-13 of the accumulator per 32 elements of K, by which both
// bounds above are wider; with promoted accumulation only over one K block. For an accumulator
// several times the root mean square the error is relative to the accumulator itself: it grows
// along K in proportion, so on average it is half of its final value, and an element may
// additionally be off by half of that fraction of its reference. With block scales the reference is
// computed by scaled_reference.cu.
#pragma once

#include <functional>
#include <string>

#include "kernels/jit/gemm_launch.h"
#include "model/gemm/problem/gemm_problem.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/gemm/cublaslt.h"
#include "validate/measure/gemm/reference_kernels.h"
#include "validate/measure/output_check.h"
#include "validate/measure/timing/micro_kernels.h"

namespace tilecast {

/// Verdict from the counts of one check; exposed for its test. `rounded_sums`: parts of K whose
/// sums were rounded to C's type before they were added.
Verdict verdict_of(const OutputCheck& check, const GemmProblem& problem, i32 rounded_sums = 1);

/// Error of fp8 accumulation along K, as a fraction of rms(reference); 0 for other types.
double accumulation_error(const GemmProblem& problem);

/// Bound of each element for a reference with root mean square `rms`; exposed for its test.
ElementBound element_bound(const GemmProblem& problem, double rms, i32 rounded_sums = 1);

class Verifier {
 public:
  Verifier(CubinCache& cache, const MicroKernels& kernels, const Cublaslt& cublaslt,
           const Stream& stream);

  /// Computes the reference of `problem` on these inputs. Throws Error if cuBLASLt and the fp64 dot
  /// products disagree.
  void prepare(const GemmProblem& problem, const GemmBuffers& inputs);

  /// `enqueue` enqueues one launch, which writes C to `c`.
  Verdict check(const std::function<void(void* c)>& enqueue, i32 rounded_sums = 1);

 private:
  std::size_t elements() const;
  /// Converts fp8 elements to fp16, in `wide`.
  const void* widened(const void* fp8, i64 elements, DeviceMemory& wide) const;
  /// Computes A B of 16-bit operands into `sums`, with block scales if the problem has them, and
  /// checks it.
  void take_reference(const GemmProblem& problem, const void* a, const void* b,
                      const ScaleArgs& scales, float* sums);
  /// Computes the reference for groups along K, into consecutive matrices of C.
  void take_reference_of_k(const GemmProblem& problem, const void* a, const void* b, float* sums);
  /// Applies the problem's epilogue to `sums`.
  void apply_epilogue(const float* sums, const GemmBuffers& inputs);
  /// Compares the launches' amax with the reference's; returns an empty string if they agree.
  std::string fault_of_amax(double rms) const;
  /// Multiplies without groups, into `c`; `matrices` matrices in total share the checks.
  void multiply(const GemmProblem& problem, const void* a, const void* b, const ScaleArgs& scales,
                float* c, i64 matrices);

  /// Returns C without the unused capacity of masked groups, and checks that that is unchanged.
  const void* without_room(void* c, OutputCheck* result);

  const MicroKernels& kernels_;
  const ReferenceKernels reference_kernels_;
  const Cublaslt& cublaslt_;
  const Stream& stream_;
  GemmProblem problem_{};
  OutputCheck cleared_{};  // cleared counts with the reference's norm filled in
  GuardedOutput output_;
  DeviceMemory reference_, result_, a_, b_;  // a_, b_: fp8 operands widened to fp16
  DeviceMemory sums_;                        // inputs of a gate
  DeviceMemory amax_;                        // amax of the reference
  float* amax_of_kernels_ = nullptr;         // where launches write their amax, if they do
  DeviceMemory filled_;                      // C of masked groups, without room
};

}  // namespace tilecast
