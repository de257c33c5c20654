// Inputs of the reference epilogue other than sums (apply_epilogue.cu), for one GEMM, as in
// GemmBuffers; null if the epilogue does not read them.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

struct EpilogueInputs {
  const void* bias;
  const float *a_scales, *b_scales;
  const void* residual;
  u64 residual_row;  // elements between rows
  const float* scale_c;
  u32* amax;  // raised to the bits of the largest magnitude
};

}  // namespace tilecast
