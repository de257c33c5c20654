// Host stand-in for kernels/ptx/convert.cuh: no values are computed.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline float value_of_bits(unsigned short, ElementType) { return 0; }
inline unsigned short bits_of(float, ElementType) { return 0; }
inline unsigned short fp8_pair_of(float, float, ElementType) { return 0; }

}  // namespace tilecast::ptx
