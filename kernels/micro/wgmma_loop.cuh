// The timed loop of the wgmma micro-benchmarks: one warpgroup issues m64nNk16 in groups and leaves
// some groups in flight. Operands stay in shared memory as a K-major block of 64 elements with
// 128-byte swizzle; the warpgroup does nothing else.
//
// The source that includes the kernel defines kWgmmaN, kAInRegisters, kGroup (instructions per
// commit group) and kPending (groups left in flight). All instructions accumulate into the same
// registers.
#pragma once

#include "kernels/micro/operand_data.h"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/volatile_access.cuh"
#include "kernels/ptx/wgmma.cuh"
#include "kernels/verify/drawn_inputs.cuh"

namespace tilecast {

constexpr i32 kRowBytes = 128;
constexpr i32 kAtomBytes = 1024;
constexpr i32 kABytes = 64 * kRowBytes;
constexpr i32 kBBytes = (kWgmmaN < 8 ? 8 : kWgmmaN) * kRowBytes;
constexpr i32 kOperandsBytes = (kABytes + kBBytes + kAtomBytes - 1) / kAtomBytes * kAtomBytes;
constexpr i32 kWarpgroupThreads = 128;

/// Returns the `i`-th pair of fp16 elements of an operand.
__device__ inline u32 operand_pair(OperandData data, u32 i) {
  if (data == OperandData::kZeros) {
    return 0;
  }
  if (data == OperandData::kRandomBits) {
    u32 x = (i + 1) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return x & 0xbbffbbffu;  // both signs, below 1
  }
  const Inputs inputs = data == OperandData::kNormal    ? Inputs::kNormal
                        : data == OperandData::kUniform ? Inputs::kUniform
                                                        : Inputs::kTernary;
  const DrawnPair pair = drawn_pair(inputs, 1, i);
  return static_cast<u32>(ptx::bits_of(pair.second, ElementType::kFp16)) << 16 |
         ptx::bits_of(pair.first, ElementType::kFp16);
}

/// Fills `bytes` of shared memory and makes them visible to wgmma.
__device__ inline void fill_operands(char* shared, i32 bytes, OperandData data) {
  for (i32 i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
    reinterpret_cast<u32*>(shared)[i] = operand_pair(data, static_cast<u32>(i));
  }
  ptx::fence_proxy_async();
  __syncthreads();
}

/// Operands of the loop: A in registers if kRegisters.
template <bool kRegisters>
struct WgmmaOperands {
  ptx::MatrixDescriptor a, b;
  u32 a_registers[4];

  __device__ __forceinline__ static WgmmaOperands of(u32 a_address, u32 b_address) {
    constexpr u32 kUnread = 16;
    WgmmaOperands operands;
    operands.a = ptx::MatrixDescriptor::swizzled<kRowBytes>(a_address, kUnread, kAtomBytes);
    operands.b = ptx::MatrixDescriptor::swizzled<kRowBytes>(b_address, kUnread, kAtomBytes);
#pragma unroll
    for (u32 i = 0; i < (kRegisters ? 4 : 0); ++i) {
      // Loaded from memory, because the compiler would otherwise recompute them for every group.
      operands.a_registers[i] =
          ptx::load_shared_volatile(a_address + threadIdx.x % kWarpgroupThreads * 16 + i * 4);
    }
    return operands;
  }
};

/// Issues one commit group of kGroup instructions.
template <i32 kGroup, bool kRegisters>
__device__ __forceinline__ void issue_group(const WgmmaOperands<kRegisters>& operands,
                                            float (&d)[kWgmmaN / 2]) {
  ptx::wgmma_fence();
#pragma unroll
  for (i32 i = 0; i < kGroup; ++i) {
    const u32 step = i % 4 * 32;  // sixteen K elements of 16 bits
    if constexpr (kRegisters) {
      ptx::wgmma_m64k16_a_in_registers<kWgmmaN, ElementType::kFp16, false>(
          d, operands.a_registers, operands.b.moved(step), true);
    } else {
      ptx::wgmma_m64k16<kWgmmaN, ElementType::kFp16, false, false>(d, operands.a.moved(step),
                                                                   operands.b.moved(step), true);
    }
  }
  ptx::wgmma_commit();
}

/// Keeps the wgmmas. The assembler drops instructions whose result is not used, so the accumulators
/// are stored to `sink` if `write`, which is never true.
__device__ __forceinline__ void keep(float (&d)[kWgmmaN / 2], bool write, void* sink) {
  ptx::wgmma_fence_registers(d);
  if (write) {
#pragma unroll
    for (i32 i = 0; i < kWgmmaN / 2; ++i) {
      static_cast<float*>(sink)[threadIdx.x] += d[i];
    }
  }
}

/// Issues `groups` groups of kGroup instructions.
template <i32 kGroup, i32 kPending, bool kRegisters>
__device__ __forceinline__ void wgmma_loop(u32 a_address, u32 b_address, u32 groups, void* sink) {
  float d[kWgmmaN / 2] = {};
  const auto operands = WgmmaOperands<kRegisters>::of(a_address, b_address);
  for (u32 group = 0; group < groups; ++group) {
    issue_group<kGroup>(operands, d);
    ptx::wgmma_wait<kPending>();
  }
  ptx::wgmma_wait<0>();
  keep(d, groups == ~0u, sink);
}

}  // namespace tilecast
