// The chunks in which a warpgroup stages its part of a tile on the way to C, and the layout of
// their elements in shared memory. Columns are those of A B; each becomes column_bytes() of C.
//
// In a slot a chunk consists of boxes of whole swizzle rows, with one bulk store each. The last
// chunk of a row may be one narrower box of a tensor map of its own, whose rows are contiguous if
// no swizzle mode has their width. With swapped operands the chunk is transposed: each column is a
// swizzle row of 64 elements of C.
#pragma once

#include "kernels/gemm/gemm_config.h"

namespace tilecast {

/// One chunk of a warpgroup's part of a tile.
template <class Config>
struct Chunk {
  i32 i;        // wgmma row
  i32 column;   // first column, within the warpgroup's part
  i32 columns;  // the last chunk of a row may be narrower

  /// Whether the chunk is a box of a separate tensor map.
  __device__ constexpr bool has_own_box() const {
    return Config::kLastColumns > 0 && columns == Config::kLastColumns;
  }
  __device__ constexpr bool ends_in_half() const {
    return Config::kLastColumns > 0 && columns % 16 != 0;
  }
  __device__ constexpr i32 boxes() const {
    return has_own_box() ? 1 : columns / Config::kBoxColumns;
  }
  /// Number of groups of sixteen columns; the last group may have eight.
  __device__ constexpr i32 sixteens() const { return columns / 16 + (ends_in_half() ? 1 : 0); }
  __device__ constexpr bool is_half(i32 sixteen) const {
    return ends_in_half() && sixteen == columns / 16;
  }

  __device__ static constexpr Chunk<Config> at(i32 index) {
    const i32 column = index % Config::kChunksAcross * Config::kSlotColumns;
    return {index / Config::kChunksAcross, column,
            min_of(Config::kSlotColumns, Config::kWarpgroupColumns - column)};
  }
};

/// A thread's first row among the 64 of a chunk; it has another eight rows below.
__device__ inline i32 row_in_chunk() {
  return static_cast<i32>(threadIdx.x) % kThreadsPerWarpgroup / 32 * 16 +
         static_cast<i32>(threadIdx.x) % 32 / 4;
}

/// Byte offset, in a chunk's slot, of 16-byte unit `sixteenth` of row `row`, swizzled like the
/// tensor map of C. Rows and columns are those of the slot.
template <class Config>
__device__ inline u32 slot_offset(const Chunk<Config>& chunk, u32 row, u32 sixteenth) {
  if constexpr (Config::kSwapped) {
    return row * kSwizzleBytes + ((sixteenth ^ row % kSwizzleAtomRows) << 4);
  }
  if (chunk.has_own_box()) {
    constexpr u32 kUnits = Config::kLastColumns * kHalfBytes / 16;
    constexpr u32 kSwizzledUnits = kUnits == 2 || kUnits == 4 ? (kUnits - 1) << 4 : 0;
    const u32 at = row * (kUnits * 16) + sixteenth * 16;
    return at ^ ((at >> 3) & kSwizzledUnits);
  }
  constexpr u32 kPerBox = Config::kBoxRowBytes / 16;
  const u32 in_box = row * Config::kBoxRowBytes + sixteenth % kPerBox * 16;
  constexpr u32 kSwizzled = (kPerBox - 1) << 4;
  return sixteenth / kPerBox * Config::kBoxBytes + (in_box ^ ((in_box >> 3) & kSwizzled));
}

}  // namespace tilecast
