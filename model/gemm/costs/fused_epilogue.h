// Computes the cost of fused epilogues and of fp32 promotion: instructions and reads per epilogue
// step (model/gemm/output), and additions per K block. Shared by the analytic model and the
// simulator.
//
// Instructions are counted in SASS of warp_specialized 128x256x64, fp16, tn (NVRTC 13.0): those of
// each epilogue minus those without, per element of a thread's 128. The special function unit
// processes machine.fused_special elements per cycle. Four warps could issue 128 elements per
// cycle; an H200 issued about 80 (machine.fused_issue) in four epilogues of two cooperative
// kernels, whose two warps per scheduler wait for their own results (docs/dev/known-gaps.md, E6).
// With 80, the mean error of the simulated cycles of 210 kernels with and without epilogues is 1.5
// %; with 128, it is 1.9 %. relu is part of the conversion.
//
// Not modelled: registers that a deferred store lacks; energy of the instructions.
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

/// Time for `elements` of A B if no other warps use the SM's arithmetic.
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

/// Time to promote `elements` partial sums of a K block: one addition per sum, or one multiply-add
/// with block scales.
constexpr Cycles promotion_time(const MachineSpec& machine, double elements) {
  return Cycles{elements / machine.fp32_additions};
}

/// Time by which the promotion of one warpgroup delays another warpgroup's wgmmas of a K block,
/// because both use the register ports of the same schedulers.
constexpr Cycles promotion_beside(const MachineSpec& machine, const GemmProblem& problem,
                                  const Tiling& t) {
  const double elements = 1.0 * warpgroup_rows(t) * warpgroup_columns(t);
  return promotes(problem) && warpgroups_per_tile(t) > 1
             ? promotion_time(machine, elements) * machine.promotion_shown
             : Cycles{0};
}

/// Bytes that the epilogues of all tiles request from L2. Column vectors: each warp reads its
/// warpgroup's columns. Row vectors: each warp reads its own rows. Block scales: the producer reads
/// A's once per tile, and each warp reads one of B. Matrices: each thread reads the elements that
/// it stores.
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
