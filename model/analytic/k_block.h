// What one K block of one CTA takes of its SM: tensor pipe, operand reads, bytes filled.
//
// The tensor operations of kernel_costs.h, one after the other.
// Leaves out: contention between fills and operand reads.
// Checked by: closed_form_test.cpp, published intervals (docs/dev/notebook/constants.md, wgmma).
#pragma once

#include "model/analytic/kernel_at.h"

namespace tilecast {

struct KBlock {
  Cycles mma;            // of the tensor pipe
  Cycles operands;       // part of it that the operand reads alone would take
  Bytes a_fill, b_fill;  // loaded into one stage

  Bytes fill() const { return a_fill + b_fill; }
};

KBlock k_block(const KernelAt& kernel);

}  // namespace tilecast
