// The operands of an emitted GEMM. A, B, a bias and scales are normal(0, 1).
#pragma once

#include "kernels/emit/device.cuh"
#include "kernels/gemm/gemm_config.h"

namespace tilecast::emitted {

/// Device memory of a launch, 16-byte aligned; null for operands the kernel does not read.
struct GemmBuffers {
  const Element *a, *b;
  CElement* c;
  const BiasElement* bias;
  const float *a_scales, *b_scales;
  const CElement* residual;
  const float* scale_c;
  float* amax;
  const i32* group_numbers;  // end row of each group, or the number of rows of each masked group
};

/// Allocates what all sets of A, B and C have in common.
void allocate_shared(GemmBuffers& buffers) {
  if constexpr (Config::kAddsBias) {
    buffers.bias = filled<BiasElement>(kBiasElements, 3);
  }
  if constexpr (Config::kScalesOperands) {
    buffers.a_scales = filled<float>(kScalesOfA, 4);
    buffers.b_scales = filled<float>(kScalesOfB, 5);
  }
  if constexpr (Config::kLoads) {
    buffers.residual = filled<CElement>(kSpanOfC, 6);
  }
  if constexpr (Config::kScalesC) {
    const float scale = 16 / std::sqrt(static_cast<float>(kSideK));
    float* const scale_c = device_array<float>(1);
    check(cudaMemcpy(scale_c, &scale, sizeof scale, cudaMemcpyHostToDevice));
    buffers.scale_c = scale_c;
  }
  if constexpr (Config::kFindsAmax) {
    buffers.amax = device_array<float>(1);
  }
  if constexpr (kGroups > 0) {
    i32* const numbers = device_array<i32>(kGroups);
    check(cudaMemcpy(numbers, kGroupNumbers, sizeof kGroupNumbers, cudaMemcpyHostToDevice));
    buffers.group_numbers = numbers;
  }
}

void allocate_set(GemmBuffers& buffers) {
  buffers.a = filled<Element>(kElementsOfA, 1);
  buffers.b = filled<Element>(kElementsOfB, 2);
  buffers.c = device_array<CElement>(kSpanOfC);
}

/// Sets the result to NaN.
void clear_result(const GemmBuffers& buffers) {
  check(cudaMemset(buffers.c, 0xff, kSpanOfC * sizeof(CElement)));
}

}  // namespace tilecast::emitted
