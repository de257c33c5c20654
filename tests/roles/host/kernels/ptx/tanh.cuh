// Host stand-in for kernels/ptx/tanh.cuh: no values are computed.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline float tanh_approx(float x) { return x; }

}  // namespace tilecast::ptx
