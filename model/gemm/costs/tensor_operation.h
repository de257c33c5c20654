// Describes the tensor core operation of a configuration on any architecture: instruction interval,
// instructions per K block, completion latency. The analytic model and the simulator read only
// this.
//
//    wgmma    m64nNk16 of one warpgroup: reads A (unless in registers) and N rows of B
//   mma_sync 64 rows of a warpgroup, all of its columns, one K step, with four warps' ldmatrix
//   tcgen05  m128nNk16 of one CTA, or m256 of two, each of which reads its A and half of B
// Interval: the longer of FLOPs / rate and operand bytes / operand rate, at least that of the
// narrowest instruction; with mma.sync the smooth maximum of the two.
// Checked by: tensor_operation_test.cpp (published intervals).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

constexpr i32 kAccumulatorBytes = 4;  // bytes of an fp32 accumulator

struct TensorOperation {
  Cycles interval;  // interval between instructions on the SM's tensor cores
  Cycles operands;  // interval imposed by operand reads only
  i32 operand_bytes;
  i32 per_k_block;    // instructions per issuer and K block; an issuer is a warpgroup, or a thread
                      // for the CTA
  i32 issuers;        // issuers per CTA
  Cycles completion;  // latency beyond the interval, when waited for
  Cycles turn;        // the issuer's instructions around those of one K block
  bool copies_exposed = false;  // cp.async: operations wait for the issue of a K block's copies

  double of_cta() const { return per_k_block * issuers; }
};

TensorOperation tensor_operation(const GpuSpec& gpu, const GemmProblem& problem,
                                 const KernelConfig& config);

/// Returns the instruction of the schedules that the GPU's default search space contains.
TensorCore menu_tensor_core(const GpuSpec& gpu);
/// Whether the GPU has the instruction; mma.sync also counts if the default search space does not
/// use it.
bool has_tensor_core(const GpuSpec& gpu, TensorCore core);

}  // namespace tilecast
