// Host stand-in for kernels/ptx/mma_sync.cuh: records that an instruction is issued.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

template <ElementType kType>
void mma_sync(float*, const u32 (&)[4], u32, u32) {
  kernel_calls::record({.name = kernel_calls::Name::kMmaSync});
}

}  // namespace tilecast::ptx
