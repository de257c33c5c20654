// Tensor memory to C, as kernels/device/tcgen05_epilogue.cuh does it: each of a warpgroup's four
// warps reads the 32 lanes that are its own, chunk by chunk, stages it and stores it alone; here
// the four are one process, since nothing keeps them apart.
//
// A chunk is 128 rows x 64 columns: through tensor memory's port, which has less left while MMAs
// run; twice the instructions of a chunk of wgmma's 64 rows; through shared memory's port; and from
// there by bulk stores, as in epilogue.h. The place in tensor memory is free once the last chunk
// has been read, in the middle of its instructions.
//
// Checked by: tcgen05_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// Waits for the tile at `from` and stores the warpgroup's part. The last stores are issued at the
/// warpgroup's time; read at its stores_read.
Process store_accumulator(Cta& cta, Warpgroup& warpgroup, TileCoord tile, Turn& from);

}  // namespace tilecast
