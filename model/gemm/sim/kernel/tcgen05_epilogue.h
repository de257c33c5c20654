// Simulates stores of accumulators from tensor memory to C, as in
// kernels/device/tcgen05_epilogue.cuh: each of a warpgroup's four warps reads its 32 lanes chunk by
// chunk, stages and stores them independently. One process represents all four, because they stay
// together.
//
// A chunk of 128 rows x 64 columns passes tensor memory's port, which is slower while MMAs run,
// takes twice the instructions of a 64-row wgmma chunk, passes shared memory's port, and is stored
// from there by bulk stores, as in epilogue.h. The accumulator in tensor memory is free once the
// last chunk has been read, in the middle of that chunk's instructions.
//
// Checked by: tcgen05_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// Waits for the tile at `from` and stores the warpgroup's part. The last stores are issued at the
/// warpgroup's time, and read at its stores_read.
Process store_accumulator(Cta& cta, Warpgroup& warpgroup, TileCoord tile, Turn& from);

}  // namespace tilecast
