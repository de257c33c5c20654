// CUDA keywords and built-ins used by the GEMM kernels, for a host compiler that runs one thread at
// a time.
#pragma once

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/roles/kernel_calls.h"

#define __device__
#define __global__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct float2 {
  float x, y;
};
struct int4 {
  std::int32_t x, y, z, w;
};
struct uint2 {
  std::uint32_t x, y;
};
struct uint4 {
  std::uint32_t x, y, z, w;
};
struct float4 {
  float x, y, z, w;
};
struct ThreadIndex {
  std::uint32_t x;
};
// A macro, because threadIdx is used inside expressions.
#define threadIdx (ThreadIndex{kernel_calls::running.thread})
#define blockIdx (ThreadIndex{kernel_calls::running.block})
#define gridDim (ThreadIndex{kernel_calls::running.blocks})

inline void __syncthreads() { kernel_calls::record({.name = kernel_calls::Name::kCtaBarrier}); }
inline void __syncwarp() {}
[[noreturn]] inline void __trap() { std::abort(); }
inline float __uint_as_float(std::uint32_t) { return 0; }
inline std::uint32_t __float_as_uint(float) { return 0; }
inline std::uint32_t __byte_perm(std::uint32_t low, std::uint32_t, unsigned) { return low; }
inline std::uint32_t __shfl_xor_sync(unsigned, std::uint32_t value, int) { return value; }
inline std::uint32_t __reduce_max_sync(unsigned, std::uint32_t value) { return value; }
inline std::uint32_t atomicMax(std::uint32_t*, std::uint32_t value) { return value; }
inline int __clz(int value) { return std::countl_zero(static_cast<std::uint32_t>(value)); }
inline std::uint32_t __double2uint_rz(double value) { return static_cast<std::uint32_t>(value); }
inline std::uint32_t __shfl_sync(unsigned, std::uint32_t value, int) { return value; }
inline std::uint32_t __shfl_up_sync(unsigned, std::uint32_t value, int) { return value; }

/// Start of dynamic shared memory; its address is 0 and nothing is accessed there.
extern "C" char dynamic[];
