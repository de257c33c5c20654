// What an epilogue adds to a kernel: the instructions and reads of its steps (model/gemm/output),
// and of sums that are promoted the additions of every K block. The closed forms and the simulator
// both ask.
//
// Instructions are counted in the SASS of warp_specialized 128x256x64, fp16, tn (NVRTC 13.0): those
// of each epilogue less those of none, over the 128 elements of a thread. The special function unit
// takes machine.fused_special elements a cycle. Four warps could issue each cycle, 128 elements; an
// H200 issued some 80 of them (machine.fused_issue) in four epilogues of
// two cooperative kernels, whose two warps per scheduler wait for their own results
// (docs/dev/known-gaps.md, E6): simulated cycles of 210 kernels with and without epilogues are then
// 1.5 % off, with 128 1.9 %. relu is part of the conversion.
//
// Leaves out: registers that a deferred store does not get; energy of the instructions.
//
// Checked by: fused_epilogue_test.cpp.
#pragma once

#include "model/base/math.h"
#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Of so many elements of A B, by threads that have the SM's arithmetic to themselves.
constexpr Cycles fused_time(const MachineSpec& machine, const Epilogue& epilogue, double elements,
                            bool residual_in_ring = false) {
  ElementWork all;
  epilogue.each([&](const StepRow& row) {
    const ElementWork work = residual_in_ring ? row.work_in_ring : row.work;
    all.issued += work.issued;
    all.special += work.special;
  });
  return Cycles{elements *
                max_of(all.issued / machine.fused_issue, all.special / machine.fused_special)};
}

/// So many sums of a K block, added to those of the blocks before: an addition each, with block
/// scales a multiply-add.
constexpr Cycles promotion_time(const MachineSpec& machine, double elements) {
  return Cycles{elements / machine.fp32_additions};
}

/// What a K block's wgmmas of one warpgroup take longer by another's promotion, which reads and
/// writes the registers of the same schedulers.
constexpr Cycles promotion_beside(const MachineSpec& machine, const GemmProblem& problem,
                                  const Tiling& t) {
  const double elements = 1.0 * warpgroup_rows(t) * warpgroup_columns(t);
  return promotes(problem) && warpgroups_per_tile(t) > 1
             ? promotion_time(machine, elements) * machine.promotion_shown
             : Cycles{0};
}

/// What all tiles ask L2 for: of columns each warp those of its warpgroup, of rows its own; of
/// block scales the tile's producer A's, for all, and each warp one of B; of a matrix each thread
/// its own elements.
inline Bytes epilogue_reads(const GemmProblem& problem, const Tiling& t) {
  const i64 tiles = ceil_div<i64>(problem.shape.m, t.block_m) *
                    ceil_div<i64>(problem.shape.n, t.block_n) * problem.batch.products;
  const double k_blocks = static_cast<double>(ceil_div<i64>(problem.shape.k, t.block_k));
  const double of_warps = 1.0 * warpgroups_per_tile(t) * kWarpsPerWarpgroup * scale_bytes();
  double of_tile = has_block_scales(problem.epilogue)
                       ? k_blocks * (scale_copies(t) * scale_box_bytes(t) + of_warps)
                       : 0;
  problem.epilogue.each([&](const StepRow& row) {
    const StepReads& reads = row.reads;
    const i32 of_warpgroup =
        reads.row * warpgroup_rows(t) +
        kWarpsPerWarpgroup * (reads.column * warpgroup_columns(t) + reads.whole);
    of_tile += 1.0 * warpgroups_per_tile(t) * of_warpgroup * read_bytes(problem, reads.type);
  });
  return Bytes{static_cast<double>(tiles) * of_tile + residual_bytes(problem)};
}

}  // namespace tilecast
