// Allocates device memory and encodes tensor maps of an emitted program.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/gemm/gemm_args.h"

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

/// Encodes a tensor map. The lengths `sides` and `box` begin with the contiguous dimension;
/// `strides` are in bytes, for the other dimensions. Out-of-bounds loads give zeros; out-of-bounds
/// stores are dropped.
TensorMap tensor_map(const void* matrix, CUtensorMapDataType type,
                     const std::vector<cuuint64_t>& sides, const std::vector<cuuint64_t>& strides,
                     const std::vector<cuuint32_t>& box, CUtensorMapSwizzle swizzle,
                     CUtensorMapL2promotion promotion) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found));
  check(found == cudaDriverEntryPointSuccess ? cudaSuccess : cudaErrorCallRequiresNewerDriver);
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  const cuuint32_t steps[] = {1, 1, 1, 1, 1};
  TensorMap map{};
  const CUresult result =
      encode(reinterpret_cast<CUtensorMap*>(&map), type, static_cast<cuuint32_t>(sides.size()),
             const_cast<void*>(matrix), sides.data(), strides.data(), box.data(), steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  check(result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
  return map;
}

/// Fills with normal(0, 1) values by Box-Muller from a counter (the finaliser of splitmix64).
template <class T>
__global__ void fill(T* values, i64 count, u64 seed) {
  for (i64 i = blockIdx.x * i64{blockDim.x} + threadIdx.x; i < count;
       i += i64{gridDim.x} * blockDim.x) {
    u64 bits = seed + static_cast<u64>(i + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    bits ^= bits >> 31;
    const float first = (static_cast<float>(static_cast<u32>(bits) >> 8) + 1.0f) / 16777216.0f;
    const float second = static_cast<float>(bits >> 40) / 16777216.0f;
    values[i] = static_cast<T>(sqrtf(-2.0f * logf(first)) * cospif(2.0f * second));
  }
}

template <class T>
T* filled(i64 count, u64 seed) {
  T* const values = device_array<T>(count);
  fill<<<1024, 256>>>(values, count, seed);
  check(cudaGetLastError());
  return values;
}

}  // namespace tilecast::emitted
