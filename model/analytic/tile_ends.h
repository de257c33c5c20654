// What a tile costs beyond its K blocks.
//
// The epilogue of a warpgroup: its part of C goes in chunks to slots in shared memory, each read
// from there by a bulk store. With S slots for C chunks, a slot is needed again while the store
// before still reads it:
//   staging = fixed + C (per chunk + bytes / rate)
//   waiting = (ceil(C / S) - 1) max(0, store read - (S - 1) staging of one chunk)
// With a slot for every chunk, or stages borrowed for all of them, nothing waits. Where rows of C
// are no whole 16 bytes, its threads store it themselves, which takes bytes / plain rate longer,
// twice that where two columns are no whole 4 bytes.
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
Cycles first_load(Schedule schedule, Cycles load_latency);

/// From the last wgmma of a tile to the last store issued.
Cycles epilogue_time(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

/// From the last K block of a tile to the first one of the next tile on its slot, beyond the time
/// that K blocks take anyway.
Cycles between_tiles(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                     Cycles load_latency, const KBlockStep& step, i64 k_blocks);

/// From the last K block of a slot's last tile to its last store issued.
Cycles after_last_tile(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
