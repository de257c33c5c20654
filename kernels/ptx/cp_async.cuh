// cp.async: copies of 4, 8 or 16 bytes by one thread from global to shared memory, without
// registers. Groups are per thread; a waiting thread sees only the bytes that it copied itself. A
// cache hint is used only with full copies: with a source size shorter than the copy, it raised an
// illegal instruction on the H200.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

/// Reads `valid` bytes, 0 to kBytes, and fills the rest with zeros. Both addresses are multiples of
/// kBytes; if `valid` is 0 nothing is read.
template <int kBytes>
__device__ __forceinline__ void cp_async(u32 destination, const void* source, u32 valid) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "bytes of one cp.async");
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(source),
                 "r"(valid)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(destination), "l"(source),
                 "n"(kBytes), "r"(valid)
                 : "memory");
  }
}

/// Copies all kBytes, with a cache hint.
template <int kBytes>
__device__ __forceinline__ void cp_async_hinted(u32 destination, const void* source, u64 policy) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "bytes of one cp.async");
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(destination),
                 "l"(source), "l"(policy)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;" ::"r"(destination),
                 "l"(source), "n"(kBytes), "l"(policy)
                 : "memory");
  }
}

__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most kPending of this thread's committed groups are incomplete.
template <int kPending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace tilecast::ptx
