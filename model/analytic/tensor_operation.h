// The tensor core operation of a configuration, whatever the architecture: what one instruction
// takes, how many a K block is made of, when its end is seen. Everything else in the closed forms
// asks for no more than this.
//
//   wgmma    m64nNk16 of one warpgroup: A (unless in registers) and N rows of B are read
//   tcgen05  m128nNk16 of one CTA, or m256 of two, each of which reads its A and half of B
// Interval: the longer of FLOPs / rate and operand bytes / operand rate, + an issue overhead.
// Checked by: tensor_operation_test.cpp (published intervals), closed_form_test.cpp.
#pragma once

#include "model/spec/gpu_spec.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct TensorOperation {
  Cycles interval;  // of the SM's tensor cores
  Cycles operands;  // part of it that the operand reads alone would take
  Bytes operand_bytes;
  double per_k_block;  // instructions of one CTA
  Cycles completion;   // beyond the interval, when waited for
  Cycles block_turn;   // of who issues, around the instructions of one K block
};

TensorOperation tensor_operation(const GpuSpec& gpu, const KernelConfig& config);

}  // namespace tilecast
