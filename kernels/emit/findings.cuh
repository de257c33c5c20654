// What the check of an emitted kernel computes and counts.
#pragma once

#include "kernels/emit/device.cuh"

namespace tilecast::emitted {

/// A reference value, and the tolerance of the kernel's value.
struct Approximate {
  double value, off;
};

struct Findings {
  unsigned long long wrong;   // number of wrong results
  u32 least_amax, most_amax;  // bits of floats between which amax is right
};

}  // namespace tilecast::emitted
