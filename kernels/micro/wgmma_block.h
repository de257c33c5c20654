// What wgmma_block.cu and its host agree on.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/config/smem_layout.h"

namespace tilecast {

/// Who loads, and when.
enum class LoadBy : u32 {
  kNobody,
  kIssuer,       // warp 0, behind the wgmmas that it issued itself
  kOther,        // a warp that does not multiply, told by warp 0 behind its wgmmas
  kOtherAtOnce,  // the same, without being told
};

/// Of 128 rows and 64 columns of 16 bits: a swizzle row.
constexpr i32 kLoadRows = 128;
constexpr i32 kLoadColumns = kSlabElements;
constexpr i32 kLoadBytes = kLoadRows * kLoadColumns * kOperandBytes;
constexpr i32 kMatrixColumns = 6 * kLoadColumns;  // of the matrix that the loads go round in

/// The first warp's clock, and the barriers between it and the warp that watches the loads.
struct WgmmaBlockSync {
  u64 full, go;  // mbarriers: the loads have landed; the other warp may load
  u64 start;     // of warp 0's K block
};

/// Where the loads land, behind the operands; what is shared lies behind them.
TILECAST_HD constexpr i32 loads_offset(const SmemLayout& smem) {
  return ceil_div(smem.total_bytes, kSwizzleAtomBytes) * kSwizzleAtomBytes;
}
TILECAST_HD constexpr i32 sync_offset(const SmemLayout& smem, i32 loads) {
  return loads_offset(smem) + loads * kLoadBytes;
}

/// Samples: of the whole by both clocks, then the others, in cycles alone.
enum WgmmaBlockSample : i32 { kWhole, kLoadIssued, kLanded, kFirstWarpgroup };
/// Of every warpgroup, from kFirstWarpgroup on.
enum WgmmaWarpgroupSample : i32 { kIssued, kBeforeDone, kDone, kWarpgroupSamples };

TILECAST_HD constexpr i32 sample_of_warpgroup(i32 warpgroup, WgmmaWarpgroupSample which) {
  return i32{kFirstWarpgroup} + warpgroup * i32{kWarpgroupSamples} + i32{which};
}

}  // namespace tilecast
