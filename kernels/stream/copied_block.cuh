// Handles blocks that cp.async copies to shared memory: the positions of a thread's vectors there,
// the copies in, and the reads out.
#pragma once

#include "kernels/ptx/cp_async.cuh"
#include "kernels/stream/block.cuh"

namespace tilecast {

/// Byte offset in a buffer of this thread's vector `i`, from StreamLayout.
__device__ __forceinline__ u32 buffer_offset(i32 i) {
  const i32 row = vector_row(i);
  const i32 byte = vector_column(i) * kElementBytes;
  constexpr i32 kRowBytes = kStream.block_columns * kElementBytes;
  if constexpr (kStream.layout == StreamLayout::kPlain) {
    return static_cast<u32>(row * kRowBytes + byte);
  } else {
    constexpr i32 kChunks = kRowBytes / kChunkBytes;
    constexpr i32 kMask = (kChunks < 8 ? kChunks : 8) - 1;
    const i32 chunk = byte / kChunkBytes ^ (row & kMask);
    return static_cast<u32>(row * kRowBytes + chunk * kChunkBytes + byte % kChunkBytes);
  }
}

template <bool kWhole>
__device__ __forceinline__ void copy_part(const StreamArgs& args, const StridedMatrix& from,
                                          const Block& block, u32 buffer) {
#pragma unroll(kWhole ? kThreadVectors : 1)
  for (i32 i = 0; i < kThreadVectors; ++i) {
    const i32 valid = block.valid<kWhole>(args, i);
    const void* source = valid > 0 ? block.address(from, i) : from.pointer;
    ptx::cp_async<kVectorBytes>(buffer + buffer_offset(i), source,
                                static_cast<u32>(valid * kElementBytes));
  }
}

/// Copies a whole block with the longest possible copies, as a cache hint requires.
__device__ __forceinline__ void copy_hinted(const StridedMatrix& from, const Block& block,
                                            u32 buffer, u64 policy) {
#pragma unroll
  for (i32 i = 0; i < kThreadVectors; ++i) {
    ptx::cp_async_hinted<kVectorBytes>(buffer + buffer_offset(i), block.address(from, i), policy);
  }
}

/// Starts this thread's copies of its part of a block; out-of-bounds elements become zero.
__device__ __forceinline__ void copy_block(const StreamArgs& args, const StridedMatrix& from,
                                           const Block& block, u32 buffer, u64 policy) {
  if (kHintedLoads && block.whole) {
    copy_hinted(from, block, buffer, policy);
  } else if (block.whole) {
    copy_part<true>(args, from, block, buffer);
  } else {
    copy_part<false>(args, from, block, buffer);
  }
}

/// The thread's vector at `at` of A's copy, or of its sum with B's.
template <bool kAdds>
__device__ __forceinline__ StreamVector copied(u32 a, u32 b, u32 at) {
  if constexpr (kAdds) {
    return add(ptx::load_shared<kVectorBytes>(a + at), ptx::load_shared<kVectorBytes>(b + at));
  } else {
    return ptx::load_shared<kVectorBytes>(a + at);
  }
}

template <bool kAdds, bool kWhole>
__device__ __forceinline__ void store_part(const StreamArgs& args, const Block& block, u32 a, u32 b,
                                           u64 policy) {
#pragma unroll(kWhole ? kThreadVectors : 1)
  for (i32 i = 0; i < kThreadVectors; ++i) {
    store_valid(block.address(args.c, i), copied<kAdds>(a, b, buffer_offset(i)),
                block.valid<kWhole>(args, i), policy);
  }
}

/// Stores this thread's part of a block of A, or of A + B, whose copies have completed.
template <bool kAdds>
__device__ __forceinline__ void store_block(const StreamArgs& args, const Block& block, u32 a,
                                            u32 b, u64 policy) {
  if (block.whole) {
    store_part<kAdds, true>(args, block, a, b, policy);
  } else {
    store_part<kAdds, false>(args, block, a, b, policy);
  }
}

}  // namespace tilecast
