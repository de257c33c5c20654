// The operands of an emitted attention kernel. Q, K and V are normal(0, 1).
#pragma once

#include "kernels/attention/attention_args.h"
#include "kernels/emit/device.cuh"

namespace tilecast::emitted {

/// Device memory of a launch, 16-byte aligned.
struct AttentionBuffers {
  const Element *q, *k, *v;
  Element* o;
  float* lse;  // [batch, heads, queries]
};

/// Allocates what all sets of Q, K, V and O have in common.
void allocate_shared(AttentionBuffers& buffers) {
  if constexpr (kWritesLse) {
    buffers.lse = device_array<float>(kRows);
  }
}

void allocate_set(AttentionBuffers& buffers) {
  buffers.q = filled<Element>(kRows * kHeadDim, 1);
  buffers.k = filled<Element>(kKeyRows * kHeadDim, 2);
  buffers.v = filled<Element>(kKeyRows * kHeadDim, 3);
  buffers.o = device_array<Element>(kRows * kHeadDim);
}

/// Sets the result to NaN.
void clear_result(const AttentionBuffers& buffers) {
  check(cudaMemset(buffers.o, 0xff, kRows * kHeadDim * sizeof(Element)));
  if constexpr (kWritesLse) {
    check(cudaMemset(buffers.lse, 0xff, kRows * sizeof(float)));
  }
}

}  // namespace tilecast::emitted
