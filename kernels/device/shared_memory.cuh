// The kernel's view of its shared memory: 32-bit addresses at the offsets in smem_layout.h.
#pragma once

#include "kernels/gemm/gemm_config.h"
#include "kernels/ptx/mbarrier.cuh"

namespace tilecast {

/// Named barriers: id 0 is __syncthreads; then comes one for each warpgroup that consumes or
/// stores.
constexpr u32 kFirstWarpgroupBarrier = 1;

template <class Config>
struct SharedMemory {
  u32 base;  // 1024-byte aligned

  /// In a kernel without static shared memory, dynamic shared memory has the alignment that the
  /// swizzle needs. Aligning it in code would waste space, and with it a second CTA per SM.
  __device__ static SharedMemory here() {
    extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
    const u32 base = ptx::shared_address(dynamic);
    if (base % kSwizzleAtomBytes != 0) {
      __trap();
    }
    return {base};
  }

  __device__ u32 a(i32 stage) const { return base + stage * Config::kSmem.a_stage_bytes; }
  __device__ u32 b(i32 b_stage) const {
    return base + Config::kSmem.b_offset + b_stage * Config::kSmem.b_stage_bytes;
  }
  /// Address of a dedicated staging slot for C (one that does not alias an operand stage).
  __device__ u32 c(i32 warpgroup, i32 slot) const {
    return base + Config::kSmem.c_offset +
           (warpgroup * Config::kTiling.c_slots + slot) * Config::kSmem.c_slot_bytes;
  }
  /// Address of the block scales of A's rows.
  __device__ u32 scales(i32 stage) const {
    return base + Config::kScaleRingOffset + stage * Config::kScaleStageBytes;
  }
  /// Barrier that completes a phase when the stage's bytes have arrived.
  __device__ u32 full(i32 stage) const {
    return base + Config::kSmem.barrier_offset + stage * kBarrierBytes;
  }
  /// Barrier that completes a phase when all readers of this CTA's loads have released the stage.
  __device__ u32 empty(i32 stage) const { return full(Config::kTiling.stages + stage); }
};

}  // namespace tilecast
