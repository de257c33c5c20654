// One block of the matrices, and this thread's vectors in it: their positions, and which of them
// are inside the matrix.
//
// Neighbouring threads take neighbouring vectors of a row. A thread copies, adds and stores the
// same vectors, so transfers through shared memory need no barrier.
#pragma once

#include "kernels/ptx/cache_policy.cuh"
#include "kernels/ptx/packed_add.cuh"
#include "kernels/ptx/vector_access.cuh"
#include "kernels/stream/compile_time_stream.cuh"
#include "kernels/stream/stream_args.h"

namespace tilecast {

using StreamVector = ptx::Vector<kVectorBytes>;

/// Offset of this thread's vector `i` from its vector 0. It is equal for all threads and known at
/// compile time, unless rows are divided unevenly.
constexpr bool kWideRows = kRowVectors % kComputeThreads == 0;
constexpr bool kWholeRows = kComputeThreads % kRowVectors == 0;

__device__ __forceinline__ i32 row_from_first(i32 i) {
  if constexpr (kWideRows) {
    return i / (kRowVectors / kComputeThreads);
  } else if constexpr (kWholeRows) {
    return i * (kComputeThreads / kRowVectors);
  } else {
    const i32 thread = static_cast<i32>(threadIdx.x);
    return (thread + i * kComputeThreads) / kRowVectors - thread / kRowVectors;
  }
}
__device__ __forceinline__ i32 column_from_first(i32 i) {
  if constexpr (kWideRows) {
    return i % (kRowVectors / kComputeThreads) * kComputeThreads * kVectorElements;
  } else if constexpr (kWholeRows) {
    return 0;
  } else {
    const i32 thread = static_cast<i32>(threadIdx.x);
    return ((thread + i * kComputeThreads) % kRowVectors - thread % kRowVectors) * kVectorElements;
  }
}
/// Row and column of vector `i` in the block.
__device__ __forceinline__ i32 vector_row(i32 i) {
  const i32 first = kWideRows ? 0 : static_cast<i32>(threadIdx.x) / kRowVectors;
  return first + row_from_first(i);
}
__device__ __forceinline__ i32 vector_column(i32 i) {
  const i32 thread = static_cast<i32>(threadIdx.x);
  const i32 first = kWideRows ? thread : thread % kRowVectors;
  return first * kVectorElements + column_from_first(i);
}

struct Block {
  i64 row0, column0;
  bool whole;  // inside the matrix

  __device__ static Block of(const StreamArgs& args, u32 index) {
    const BlockCoord at = args.walk.coord(index);
    const i64 row0 = static_cast<i64>(at.band) * kStream.block_rows;
    const i64 column0 = static_cast<i64>(at.column) * kStream.block_columns;
    return {
        row0, column0,
        row0 + kStream.block_rows <= args.rows && column0 + kStream.block_columns <= args.columns};
  }

  __device__ char* address(const StridedMatrix& m, i32 i) const {
    const i64 column_stride = kVectorElements == 1 ? m.column_stride : 1;
    const i64 first =
        (row0 + vector_row(0)) * m.row_stride + (column0 + vector_column(0)) * column_stride;
    const i64 from_first = row_from_first(i) * m.row_stride + column_from_first(i) * column_stride;
    return static_cast<char*>(m.pointer) + first * kElementBytes + from_first * kElementBytes;
  }

  /// Number of valid elements of vector `i`, 0 to kVectorElements; always kVectorElements if the
  /// block is known to be whole.
  template <bool kWhole>
  __device__ i32 valid(const StreamArgs& args, i32 i) const {
    if constexpr (kWhole) {
      return kVectorElements;
    } else {
      const i64 left = args.columns - (column0 + vector_column(i));
      const bool in_rows = row0 + vector_row(i) < args.rows;
      return in_rows && left > 0 ? static_cast<i32>(min_of<i64>(left, kVectorElements)) : 0;
    }
  }
};

__device__ __forceinline__ StreamVector add(const StreamVector& a, const StreamVector& b) {
  StreamVector sum;
#pragma unroll
  for (i32 w = 0; w < StreamVector::kWords; ++w) {
    sum.word[w] = ptx::packed_add<kElementType>(a.word[w], b.word[w]);
  }
  return sum;
}

__device__ __forceinline__ ptx::Vector<kElementBytes> element_of(const StreamVector& v, i32 e) {
  if constexpr (kElementBytes == 4) {
    return {{v.word[e]}};
  } else {
    return {{v.word[e / 2] >> (e % 2 * 16) & 0xffff}};
  }
}

/// Loads the first `valid` elements at `address`; the rest are zero.
__device__ __forceinline__ StreamVector load_valid(const char* address, i32 valid, u64 policy) {
  if (valid == kVectorElements) {
    return ptx::load_global<kVectorBytes, kHintedLoads>(address, policy);
  }
  StreamVector v{};
#pragma unroll
  for (i32 e = 0; e < kVectorElements; ++e) {
    if (e < valid) {
      const u32 bits =
          ptx::load_global<kElementBytes, kHintedLoads>(address + e * kElementBytes, policy)
              .word[0];
      if constexpr (kElementBytes == 4) {
        v.word[e] = bits;
      } else {
        v.word[e / 2] |= bits << (e % 2 * 16);
      }
    }
  }
  return v;
}

__device__ __forceinline__ void store_valid(char* address, const StreamVector& v, i32 valid,
                                            u64 policy) {
  if (valid == kVectorElements) {
    ptx::store_global<kVectorBytes, kHintedStores>(address, v, policy);
    return;
  }
#pragma unroll
  for (i32 e = 0; e < kVectorElements; ++e) {
    if (e < valid) {
      ptx::store_global<kElementBytes, kHintedStores>(address + e * kElementBytes, element_of(v, e),
                                                      policy);
    }
  }
}

/// The cache hint of every access, if any.
__device__ __forceinline__ u64 stream_policy() {
  if constexpr (kHinted) {
    return ptx::evict_first_policy();
  } else {
    return 0;
  }
}

template <bool kAdds>
__device__ __forceinline__ void pass_whole_block(const StreamArgs& args, const Block& block,
                                                 u64 policy) {
  StreamVector a[kThreadVectors], b[kThreadVectors];
#pragma unroll
  for (i32 i = 0; i < kThreadVectors; ++i) {
    a[i] = ptx::load_global<kVectorBytes, kHintedLoads>(block.address(args.a, i), policy);
    if constexpr (kAdds) {
      b[i] = ptx::load_global<kVectorBytes, kHintedLoads>(block.address(args.b, i), policy);
    }
  }
#pragma unroll
  for (i32 i = 0; i < kThreadVectors; ++i) {
    if constexpr (kAdds) {
      a[i] = add(a[i], b[i]);
    }
    ptx::store_global<kVectorBytes, kHintedStores>(block.address(args.c, i), a[i], policy);
  }
}

template <bool kAdds>
__device__ __forceinline__ StreamVector valid_sum(const StreamArgs& args, const Block& block, i32 i,
                                                  i32 valid, u64 policy) {
  if constexpr (kAdds) {
    return add(load_valid(block.address(args.a, i), valid, policy),
               load_valid(block.address(args.b, i), valid, policy));
  } else {
    return load_valid(block.address(args.a, i), valid, policy);
  }
}

/// Stores a block of A, or of A + B, after loading all of the thread's vectors; at the edges, which
/// are rare, one vector at a time.
template <bool kAdds>
__device__ __forceinline__ void pass_block(const StreamArgs& args, const Block& block, u64 policy) {
  if (block.whole) {
    pass_whole_block<kAdds>(args, block, policy);
  } else {
#pragma unroll 1
    for (i32 i = 0; i < kThreadVectors; ++i) {
      const i32 valid = block.valid<false>(args, i);
      store_valid(block.address(args.c, i), valid_sum<kAdds>(args, block, i, valid, policy), valid,
                  policy);
    }
  }
}

/// Calls `work` for each block of this CTA's walk, in order.
template <class Work>
__device__ __forceinline__ void for_each_block(const StreamArgs& args, const Work& work) {
  const u32 end = args.walk.end(blockIdx.x);
  for (u32 index = args.walk.first(blockIdx.x); index < end; index = args.walk.next(index)) {
    work(Block::of(args, index));
  }
}

}  // namespace tilecast
