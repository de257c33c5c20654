// Accumulators to C, as kernels/device/epilogue.cuh does it: in chunks, staged in shared memory,
// each read from there by a bulk store.
//
// With slots of its own a warpgroup works alone; a slot is filled again once the store before has
// read it. Staging shares the SM's one path with the other warpgroups and CTAs. Where C borrows
// stages, all consumers of the CTA wait for each other before and after.
//
// Chunks whose store is deferred wait until store_waiting. An epilogue is taken before a chunk is
// staged or waits. R (OutputKind::kLoad) is asked of DRAM as the tile begins; its chunks are
// loaded by the threads, two ahead of the one that is taken (kernels/device/residual.cuh), or lie
// in stages of the ring and are all added before the first is staged (residual_ring.cuh).
//
// Leaves out: the room that R takes in L2; plain stores where rows of C are not 16-byte multiples;
// contention of stores with loads.
//
// Checked by: simulate_test.cpp, random_kernels_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// As a tile begins, or so many K blocks of one: L2 reads the warpgroup's part of R, if there is
/// one; of a tile in pieces each as much as it has K blocks.
void fetch_residual(Cta& cta, Warpgroup& warpgroup, u32 k_blocks);

/// The last stores of the tile are issued at the warpgroup's time; read at its stores_read. Where
/// they are deferred, the tile's chunks wait instead, once those of the tile before are stored.
Process store_tile(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span);

/// The first chunk that waits goes to C.
Process store_waiting(Cta& cta, Warpgroup& warpgroup);

/// A fused epilogue's instructions of a part of a tile, in chunks over `parts`; warpgroups of an SM
/// take turns.
Process fuse(Cta& cta, Warpgroup& warpgroup, i64 chunks, i64 parts = 1);

/// The warpgroup's part of C is in L2, at its time.
void record_stored(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan span);
/// Notes a span that ends at the warpgroup's time, where a timeline was asked for.
void record_span(Cta& cta, const Warpgroup& warpgroup, TileCoord tile, TileSpan span);

}  // namespace tilecast
