// Host stand-in for kernels/ptx/wgmma.cuh: records the stage that is multiplied, and the groups and
// instructions.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline void wgmma_fence() {}
inline void wgmma_commit() { kernel_calls::record({.name = kernel_calls::Name::kWgmmaCommit}); }
template <int kPending>
void wgmma_wait() {
  kernel_calls::record({.name = kernel_calls::Name::kWgmmaWait, .value = kPending});
}
template <int kCount>
void wgmma_fence_registers(float (&)[kCount]) {}

struct MatrixDescriptor {
  u32 low;

  template <i32 kRowBytes>
  static MatrixDescriptor swizzled(u32 address, u32, u32) {
    return {address >> 4};
  }
  MatrixDescriptor moved(u32 bytes) const { return {low + (bytes >> 4)}; }
};

template <int kN, ElementType kType, bool kTransposedA, bool kTransposedB>
void wgmma_m64k16(float (&d)[kN / 2], const MatrixDescriptor& a, const MatrixDescriptor&, bool) {
  std::memset(d, 0, sizeof(d));
  kernel_calls::record({.name = kernel_calls::Name::kWgmma, .address = a.low});
}
template <int kN, ElementType kType, bool kTransposedB>
void wgmma_m64k16_a_in_registers(float (&d)[kN / 2], const u32 (&)[4], const MatrixDescriptor&,
                                 bool) {
  std::memset(d, 0, sizeof(d));
  kernel_calls::record({.name = kernel_calls::Name::kWgmma});
}

}  // namespace tilecast::ptx
