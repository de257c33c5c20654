// Where a GEMM kernel keeps what in shared memory: the rings of A and B, the staging of C, the
// barriers. The kernel carves by these offsets and the model's legality counts these bytes.
//
// A and B stages hold K in slabs of 64 elements (one 128-byte swizzle row); B as [k,n] holds N in
// slabs of 64. Every slab starts at a multiple of 1024 bytes, as the 128-byte swizzle requires.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

constexpr i32 kSwizzleBytes = 128;       // row of one slab
constexpr i32 kSlabElements = 64;        // 16-bit elements in such a row
constexpr i32 kSwizzleAtomBytes = 1024;  // 8 rows; alignment of every slab
constexpr i32 kEpilogueSlots = 2;        // C staging buffers per warpgroup
constexpr i32 kBarrierBytes = 8;         // one mbarrier

struct SmemLayout {
  i32 a_stage_bytes, b_stage_bytes;
  i32 c_slot_bytes;  // 64 rows x epilogue columns of one warpgroup
  i32 b_offset, c_offset, barrier_offset;
  i32 total_bytes;  // what the launch asks for
};

/// Columns of C that one warpgroup stages at a time: a full swizzle row, or half of one where
/// block_n is not a multiple of 64.
TILECAST_HD constexpr i32 epilogue_columns(const Tiling& tiling) {
  return tiling.block_n % kSlabElements == 0 ? kSlabElements : kSlabElements / 2;
}

TILECAST_HD constexpr SmemLayout smem_layout(const Tiling& tiling) {
  constexpr i32 kElementBytes = 2;
  SmemLayout layout{};
  layout.a_stage_bytes = tiling.block_m * tiling.block_k * kElementBytes;
  layout.b_stage_bytes = tiling.block_n * tiling.block_k * kElementBytes;
  layout.c_slot_bytes = kWgmmaM * epilogue_columns(tiling) * kElementBytes;
  layout.b_offset = tiling.stages * layout.a_stage_bytes;
  layout.c_offset = layout.b_offset + tiling.stages * layout.b_stage_bytes;
  layout.barrier_offset =
      layout.c_offset + tiling.warpgroups * kEpilogueSlots * layout.c_slot_bytes;
  layout.total_bytes = layout.barrier_offset + 2 * tiling.stages * kBarrierBytes;
  return layout;
}

}  // namespace tilecast
