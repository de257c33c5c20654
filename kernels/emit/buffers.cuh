// The arguments of an emitted kernel's launch: buffers and tensor maps. launch_args() and
// bound_args() follow, written for the problem (emit_gemm.cpp).
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/gemm/gemm_config.h"

namespace tilecast::emitted {

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

template <class T>
T* device_array(i64 count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(T)));
  check(cudaMemset(memory, 0, static_cast<std::size_t>(count) * sizeof(T)));
  return memory;
}

/// Device memory of a launch, 16-byte aligned; null for operands the kernel does not read.
struct DeviceBuffers {
  const Element *a, *b;
  CElement* c;
  const BiasElement* bias;
  const float *a_scales, *b_scales;
  const CElement* residual;
  const float* scale_c;
  float* amax;
  const i32* group_numbers;  // each group's end row, or of masked groups how many rows it has
};

/// `sides` and `box`: the contiguous one first; `strides`: bytes, of the others. Loads out of
/// bounds bring zeros, stores there are dropped.
TensorMap tensor_map(const void* matrix, CUtensorMapDataType type,
                     const std::vector<cuuint64_t>& sides, const std::vector<cuuint64_t>& strides,
                     const std::vector<cuuint32_t>& box, CUtensorMapSwizzle swizzle,
                     CUtensorMapL2promotion promotion) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess || function == nullptr) {
    std::fprintf(stderr, "the driver has no cuTensorMapEncodeTiled (CUDA 12.0)\n");
    std::exit(1);
  }
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  const cuuint32_t steps[] = {1, 1, 1, 1};
  TensorMap map{};
  const CUresult result =
      encode(reinterpret_cast<CUtensorMap*>(&map), type, static_cast<cuuint32_t>(sides.size()),
             const_cast<void*>(matrix), sides.data(), strides.data(), box.data(), steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", static_cast<int>(result));
    std::exit(1);
  }
  return map;
}

}  // namespace tilecast::emitted
