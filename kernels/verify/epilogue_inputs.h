// What the reference epilogue (apply_epilogue.cu) reads besides the sums, for one GEMM. Formats are
// those of GemmBuffers. A pointer is null if the epilogue does not read it.
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
