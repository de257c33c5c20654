// The two products of a block of keys: S = Q K^T with both operands in shared memory, and O += P V
// with P in the registers that held S. Each warpgroup multiplies its 64 rows.
#pragma once

#include "kernels/attention/attention_args.h"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/warp.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace tilecast {

/// Addresses of the parts of shared memory (attention_smem).
template <class Config>
struct AttentionShared {
  u32 base;  // 1024-byte aligned

  __device__ static AttentionShared here() {
    extern __shared__ __align__(1024) char dynamic[];
    return {ptx::shared_address(dynamic)};
  }

  /// Address of a warpgroup's Q in a slot.
  __device__ u32 q(i32 slot, i32 group) const {
    return base + place(slot, group) * Config::kSlabs * Config::kQuerySlabBytes;
  }
  __device__ u32 k(i32 stage) const {
    return base + Config::kSmem.k_offset + stage * Config::kSmem.stage_bytes;
  }
  __device__ u32 v(i32 stage) const {
    return base + Config::kSmem.v_offset + stage * Config::kSmem.stage_bytes;
  }
  // Barriers of a stage: its bytes have arrived; every reader has released it.
  __device__ u32 k_full(i32 stage) const { return barrier(stage); }
  __device__ u32 k_empty(i32 stage) const { return barrier(Config::kStages + stage); }
  __device__ u32 v_full(i32 stage) const { return barrier(2 * Config::kStages + stage); }
  __device__ u32 v_empty(i32 stage) const { return barrier(3 * Config::kStages + stage); }
  __device__ u32 q_full(i32 slot, i32 group) const {
    return barrier(4 * Config::kStages + place(slot, group));
  }
  /// O replaces Q in shared memory.
  __device__ u32 o_full(i32 slot, i32 group) const {
    return q_full(Config::kQuerySlots + slot, group);
  }
  __device__ u32 q_empty(i32 slot, i32 group) const {
    return q_full(2 * Config::kQuerySlots + slot, group);
  }
  /// Barriers of the slots for drawn tiles.
  __device__ u32 drawn_full(i32 slot) const { return q_full(3 * Config::kQuerySlots, slot); }
  __device__ u32 drawn_empty(i32 slot) const { return drawn_full(2 + slot); }
  __device__ u32 drawn(i32 slot) const { return drawn_full(4) + slot * 4; }
  /// Address of the flag that this CTA is the last one of its tile.
  __device__ u32 is_last() const { return drawn(2); }

 private:
  __device__ static i32 place(i32 slot, i32 group) { return slot * Config::kGroups + group; }
  __device__ u32 barrier(i32 index) const {
    return base + Config::kSmem.barrier_offset + index * 8;
  }
};

template <class Config>
using Scores =
    float[Config::kKvBlock / 2];  // scores of a thread, in wgmma's layout of 64 x kv_block
template <class Config>
using Weights = u32[Config::kKvBlock / 16][4];  // P as the A operand of each wgmma
template <class Config>
using Sums = float[Config::kHeadDim / 2];  // O

/// Issues S = Q K^T as one group of wgmmas.
template <class Config>
__device__ __forceinline__ void multiply_q_k(Scores<Config>& s, u32 q, u32 k) {
  static_assert(Config::kHeadDim % Config::kSlab == 0 && Config::kHeadDim <= 256, "whole slabs");
  static_assert(Config::kKvBlock % 16 == 0 && Config::kKvBlock <= 256, "whole wgmmas of P V");
  constexpr u32 kUnread = 16, kEightRows = 8 * Config::kRowBytes;
  const auto of_q = ptx::MatrixDescriptor::swizzled<Config::kRowBytes>(q, kUnread, kEightRows);
  const auto of_k = ptx::MatrixDescriptor::swizzled<Config::kRowBytes>(k, kUnread, kEightRows);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 d = 0; d < Config::kHeadDim; d += 16) {
    const u32 slab = d / Config::kSlab, in_slab = d % Config::kSlab * 2;
    ptx::wgmma_m64k16<Config::kKvBlock, Config::kElementType, false, false>(
        s, of_q.moved(slab * Config::kQuerySlabBytes + in_slab),
        of_k.moved(slab * Config::kKvSlabBytes + in_slab), d > 0);
  }
  ptx::wgmma_commit();
}

/// Issues O += P V as one group of wgmmas. V is N-major: its slabs of 64 columns hold rows of keys.
template <class Config>
__device__ __forceinline__ void multiply_p_v(Sums<Config>& o, const Weights<Config>& p, u32 v) {
  const auto of_v = ptx::MatrixDescriptor::swizzled<Config::kRowBytes>(v, Config::kKvSlabBytes,
                                                                       8 * Config::kRowBytes);
  ptx::wgmma_fence();
#pragma unroll
  for (i32 step = 0; step < Config::kKvBlock / 16; ++step) {
    ptx::wgmma_m64k16_a_in_registers<Config::kHeadDim, Config::kElementType, true>(
        o, p[step], of_v.moved(step * 16 * Config::kRowBytes), true);
  }
  ptx::wgmma_commit();
}

/// Converts S to P: two adjacent elements of a row become one register of the A operand.
template <class Config>
__device__ __forceinline__ void round_weights(const Scores<Config>& s, Weights<Config>& p) {
#pragma unroll
  for (i32 i = 0; i < Config::kKvBlock / 4; ++i) {
    p[i / 4][i % 4] = ptx::pack_16bit<Config::kElementType>(s[2 * i], s[2 * i + 1]);
  }
}

}  // namespace tilecast
