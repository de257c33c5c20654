// What the reference of an epilogue reads besides sums (apply_epilogue.cu): of one product, as in
// GemmBuffers; null where the epilogue has no such thing.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

struct EpilogueInputs {
  const void* bias;
  const float *a_scales, *b_scales;
  const void* residual;
  u64 residual_row;  // elements from one row to the next
  const float* scale_c;
  u32* amax;  // becomes the bits of the largest magnitude, if that is larger
};

}  // namespace tilecast
