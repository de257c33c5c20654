// The loop that the wgmma micro-benchmarks time: one warpgroup issues m64nNk16 in groups and leaves
// some groups in flight. Operands lie still in shared memory as a K-major block of 64 elements, 128
// byte swizzle; nothing else runs in the warpgroup.
//
// Compiled in: TILECAST_N, TILECAST_A_IN_REGISTERS, TILECAST_GROUP (instructions of a commit
// group), TILECAST_PENDING (groups left in flight), TILECAST_WARPGROUPS, TILECAST_ACCUMULATORS (1:
// every instruction adds to what the one before it wrote; 2: they alternate).
#pragma once

#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace tilecast {

constexpr i32 kWgmmaN = TILECAST_N;
constexpr i32 kRowBytes = 128;
constexpr i32 kAtomBytes = 1024;
constexpr i32 kABytes = 64 * kRowBytes;
constexpr i32 kBBytes = (kWgmmaN < 8 ? 8 : kWgmmaN) * kRowBytes;
constexpr i32 kOperandsBytes = (kABytes + kBBytes + kAtomBytes - 1) / kAtomBytes * kAtomBytes;
constexpr i32 kWarpgroupThreads = 128;

/// Zeros, or fp16 numbers of both signs below 1 with random bits, in `bytes` of shared memory.
__device__ inline void fill_operands(char* shared, i32 bytes, bool random) {
  for (i32 i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
    u32 x = (i + 1) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    reinterpret_cast<u32*>(shared)[i] = random ? x & 0xbbffbbffu : 0;
  }
  ptx::fence_proxy_async();
  __syncthreads();
}

/// `groups` groups of kGroup instructions by this warpgroup. The assembler drops wgmmas whose
/// result nobody could read, so the accumulators go to `sink` where `groups` is a number that it
/// never is.
template <i32 kGroup, i32 kPending, i32 kAccumulators, bool kRegisters>
__device__ __forceinline__ void wgmma_loop(u32 a_address, u32 b_address, u32 groups, void* sink) {
  constexpr u32 kUnread = 16;
  const auto a = ptx::MatrixDescriptor::swizzled<kRowBytes>(a_address, kUnread, kAtomBytes);
  const auto b = ptx::MatrixDescriptor::swizzled<kRowBytes>(b_address, kUnread, kAtomBytes);
  float d[kAccumulators][kWgmmaN / 2] = {};
  u32 a_registers[4];  // from memory, or the compiler would make them anew for every group
#pragma unroll
  for (u32 i = 0; i < (kRegisters ? 4 : 0); ++i) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];"
                 : "=r"(a_registers[i])
                 : "r"(a_address + threadIdx.x % kWarpgroupThreads * 16 + i * 4)
                 : "memory");
  }
  for (u32 group = 0; group < groups; ++group) {
    ptx::wgmma_fence();
#pragma unroll
    for (i32 i = 0; i < kGroup; ++i) {
      const u32 step = i % 4 * 32;  // sixteen K elements of 16 bits
      if constexpr (kRegisters) {
        ptx::wgmma_m64k16<kWgmmaN, ElementType::kFp16, false>(d[i % kAccumulators], a_registers,
                                                              b.moved(step), true);
      } else {
        ptx::wgmma_m64k16<kWgmmaN, ElementType::kFp16, false>(d[i % kAccumulators], a.moved(step),
                                                              b.moved(step), true);
      }
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<kPending>();
  }
  ptx::wgmma_wait<0>();
#pragma unroll
  for (i32 i = 0; i < kAccumulators; ++i) {
    ptx::wgmma_fence_registers(d[i]);
  }
  if (groups == ~0u) {
#pragma unroll
    for (i32 i = 0; i < kAccumulators * kWgmmaN / 2; ++i) {
      static_cast<float*>(sink)[threadIdx.x] += d[i / (kWgmmaN / 2)][i % (kWgmmaN / 2)];
    }
  }
}

}  // namespace tilecast
