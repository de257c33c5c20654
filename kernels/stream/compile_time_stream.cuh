// The configuration a memory-bound kernel is compiled for, from the macros that kernels/jit
// defines. Shape, strides, walk and grid are run-time arguments.
#pragma once

#include "model/tile/stream_config.h"

namespace tilecast {

constexpr StreamConfig kStream{
    .schedule = static_cast<StreamSchedule>(TILECAST_STREAM_SCHEDULE),
    .block_rows = TILECAST_BLOCK_ROWS,
    .block_columns = TILECAST_BLOCK_COLUMNS,
    .stages = TILECAST_BUFFERS,
    .warps = TILECAST_WARPS,
    .vector_bytes = TILECAST_VECTOR_BYTES,
    .ctas_per_sm = TILECAST_CTAS_PER_SM,
    .layout = static_cast<StreamLayout>(TILECAST_STREAM_LAYOUT),
    .view = StreamView::kMatrix,
    .order = TILECAST_TICKETS ? BlockOrder::kTickets : BlockOrder::kBlocks,
    .hint = static_cast<CacheHint>(TILECAST_CACHE_HINT),
};
constexpr ElementType kElementType = static_cast<ElementType>(TILECAST_ELEMENT_TYPE);

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
/// Vectors of a block that one computing thread handles.
constexpr i32 kThreadVectors = kBlockBytes / kVectorBytes / kComputeThreads;
static_assert(kThreadVectors * kVectorBytes * kComputeThreads == kBlockBytes,
              "a block is whole vectors of every computing thread");

}  // namespace tilecast
