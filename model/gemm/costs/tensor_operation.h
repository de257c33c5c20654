// The tensor core operation of a configuration, whatever the architecture: what one instruction
// takes, how many a K block is made of, when its end is seen. Closed forms and simulator ask for no
// more than this.
//
//   wgmma    m64nNk16 of one warpgroup: A (unless in registers) and N rows of B are read
//   tcgen05  m128nNk16 of one CTA, or m256 of two, each of which reads its A and half of B
// Interval: the longer of FLOPs / rate and operand bytes / operand rate, and no less than the
// narrowest instruction's.
// Checked by: tensor_operation_test.cpp (published intervals).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

constexpr i32 kAccumulatorBytes = 4;  // an accumulator in fp32

struct TensorOperation {
  Cycles interval;  // of the SM's tensor cores
  Cycles operands;  // part of it that the operand reads alone would take
  i32 operand_bytes;
  i32 per_k_block;    // instructions of who issues: a warpgroup, or a thread for the CTA
  i32 issuers;        // of one CTA
  Cycles completion;  // beyond the interval, when waited for
  Cycles turn;        // of who issues, around the instructions of one K block

  double of_cta() const { return per_k_block * issuers; }
};

TensorOperation tensor_operation(const GpuSpec& gpu, const KernelConfig& config);

}  // namespace tilecast
