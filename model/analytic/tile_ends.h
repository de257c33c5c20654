// What a tile costs beyond its K blocks.
//
// The epilogue of a warpgroup: its part of C goes in chunks to slots in shared memory, each read
// from there by a bulk store. Warpgroups of a CTA stage and store at the same time, through one
// port and one engine, and all SMs through what L2 takes in. With S slots for C chunks, a slot is
// needed again while the store before still reads it:
//   staging = set-up + C chunks
//   waiting = the longer of (ceil(C / S) - 1) (store read - (S - 1) chunks) and
//             (C - S) (store read - a chunk), where positive
// With a slot for every chunk, or stages borrowed for all of them, nothing waits. Where rows of C
// are no whole 16 bytes, its threads store it themselves and wait for each chunk.
//
// What lies between two tiles of one slot, by schedule:
//   one tile per CTA    epilogue, its last stores read, the next CTA's start, its first load
//   persistent          epilogue, the first load
//   loads that run      epilogue alone; the ring fills meanwhile, so that K blocks bound by their
//   ahead               loads catch up by the stages that wait for them; and warpgroups that share
//                       a tile drift apart, so that one's wgmmas run under another's epilogue
//   ping_pong, and two  nothing while the epilogue is shorter than the other tile's K blocks
//   accumulators in
//   tensor memory
//   store=deferred      packing; chunks without registers to wait in; and of the chunks that
//                       wait, what they take longer than the next tile's K blocks, one for one,
//                       and their bytes through the port that wgmmas read operands from
// and the wgmmas' completion in each, and finding the tile where the order is a Hilbert curve.
// Leaves out: stores that contend with loads.
// Checked by: closed_form_test.cpp; committed H200 rows (validate).
#pragma once

#include "model/analytic/main_loop.h"
#include "model/base/integers.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// Before the first K block of a slot can be multiplied. A chain counts its loads in every K block.
Cycles first_load(const KernelAt& kernel, Cycles load);

/// From the last wgmma of a tile to the last store issued.
Cycles epilogue_time(const KernelAt& kernel);

/// From the last store issued to its source read: the SM's last before its CTA can end.
Cycles last_store(const KernelAt& kernel);

/// From the last K block of a tile to the first one of the next tile on its slot, beyond the time
/// that K blocks take anyway. `load`: one stage's.
Cycles between_tiles(const KernelAt& kernel, Cycles load, const KBlockStep& step, double k_blocks);

/// From the last K block of a slot's last tile to its last store issued.
Cycles after_last_tile(const KernelAt& kernel);

}  // namespace tilecast
