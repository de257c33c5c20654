// Host stand-in for kernels/ptx/warp.cuh: the first lane is elected.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline bool elect_one() { return kernel_calls::running.thread % 32 == 0; }
inline i32 uniform_warp_index() { return static_cast<i32>(kernel_calls::running.thread / 32); }

inline void named_barrier_sync(u32 id, u32) {
  kernel_calls::record({.name = kernel_calls::Name::kBarrierSync, .address = id});
}
inline void named_barrier_arrive(u32 id, u32) {
  kernel_calls::record({.name = kernel_calls::Name::kBarrierArrive, .address = id});
}

template <int kRegisters>
void setmaxnreg_inc() {}
template <int kRegisters>
void setmaxnreg_dec() {}

template <bool kTransposed = false>
void ldmatrix_x4(u32, u32 (&)[4]) {}
template <bool kTransposed = false>
void stmatrix_x4(u32 address, u32, u32, u32, u32) {
  kernel_calls::record({.name = kernel_calls::Name::kStageChunk, .address = address});
}
template <bool kTransposed = false>
void stmatrix_x2(u32 address, u32, u32) {
  stmatrix_x4(address, 0, 0, 0, 0);
}
template <ElementType kType, bool kRelu = false>
u32 pack_16bit(float, float) {
  return 0;
}
inline u32 load_shared_u32(u32) { return 0; }

}  // namespace tilecast::ptx
