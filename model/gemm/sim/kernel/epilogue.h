// Simulates stores of accumulators to C, as in kernels/device/epilogue.cuh: in chunks that are
// staged in shared memory and read from there by a bulk store.
//
// With dedicated slots a warpgroup works independently; a slot is reused once the previous store
// has read it. Staging shares the SM's port with other warpgroups and CTAs. If C aliases stages,
// all consumers of the CTA synchronize before and after.
//
// Deferred chunks wait for store_waiting. An epilogue is applied before a chunk is staged or
// deferred. The residual (OutputKind::kLoad) is prefetched from DRAM as the tile begins; its chunks
// are loaded by the threads, two ahead (kernels/device/residual.cuh), or are in pipeline stages and
// are all added before the first chunk is staged (residual_ring.cuh).
//
// Not modelled: the residual's share of L2; plain stores if rows of C are not multiples of 16
// bytes; contention between stores and loads.
//
// Checked by: simulate_test.cpp, random_kernels_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// Makes L2 read the warpgroup's part of the residual, if there is one, when a tile begins. A piece
/// of a split tile reads a share proportional to its K blocks.
void fetch_residual(Cta& cta, Warpgroup& warpgroup, u32 k_blocks);

/// Stores a tile. Its last stores are issued at the warpgroup's time and read at its stores_read.
/// With a deferred store, the previous tile's chunks are stored first, and then this tile's chunks
/// wait.
Process store_tile(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span);

/// Stores the first deferred chunk.
Process store_waiting(Cta& cta, Warpgroup& warpgroup);

/// Time of a fused epilogue's instructions for a part of a tile, in chunks over `parts`. The
/// warpgroups of an SM run them one after another.
Process fuse(Cta& cta, Warpgroup& warpgroup, i64 chunks, i64 parts = 1);

/// Records that the warpgroup's part of C is in L2, at its time.
void record_stored(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span);
/// Records a span that ends at the warpgroup's time, if a timeline was requested.
void record_span(Cta& cta, const Warpgroup& warpgroup, TileCoord tile, TileSpan span);

}  // namespace tilecast
