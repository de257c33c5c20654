// Compile-time configuration of a memory-bound kernel, from the struct `Given` that
// kernels/jit/stream_launch.cpp writes before the kernel's source. Shape, strides, walk and grid
// are run-time arguments.
#pragma once

#include "model/stream/stream_config.h"

namespace tilecast {

constexpr StreamConfig kStream = Given::kStream;
constexpr ElementType kElementType = Given::kElementType;

constexpr bool kHintedLoads =
    kStream.hint == CacheHint::kEvictFirst || kStream.hint == CacheHint::kLoadsEvictFirst;
constexpr bool kHintedStores =
    kStream.hint == CacheHint::kEvictFirst || kStream.hint == CacheHint::kStoresEvictFirst;
constexpr bool kHinted = kHintedLoads || kHintedStores;
constexpr i32 kElementBytes = element_bytes(kElementType);
constexpr i32 kVectorBytes = kStream.vector_bytes;
constexpr i32 kVectorElements = kVectorBytes / kElementBytes;
constexpr i32 kRowVectors = kStream.block_columns / kVectorElements;
constexpr i32 kComputeThreads = kStream.warps * kWarpThreads;
constexpr i32 kStreamThreads = stream_threads(kStream);
constexpr i32 kBlockBytes = block_bytes(kStream, kElementType);
constexpr i32 kThreadVectors = kBlockBytes / kVectorBytes / kComputeThreads;
static_assert(kThreadVectors * kVectorBytes * kComputeThreads == kBlockBytes,
              "a block is whole vectors of every computing thread");

}  // namespace tilecast
