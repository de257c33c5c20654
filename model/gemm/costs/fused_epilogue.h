// What an epilogue adds to a kernel: instructions of every element of A B, reads of the bias, of
// the scales and of R, and of sums that are promoted the additions of every K block. The closed
// forms and the simulator both ask.
//
// Instructions are counted in the SASS of warp_specialized 128x256x64, fp16, tn (NVRTC 13.0): those
// of each epilogue less those of none, over the 128 elements of a thread. The special function unit
// takes 16 elements a cycle (CUDA programming guide, throughput of arithmetic instructions). Four
// warps could issue each cycle, 128 elements; an H200 issued some 80 of them in four epilogues of
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

namespace tilecast {

/// Of one element.
struct ElementWork {
  double issued, special;  // instructions; those of the special function unit among them
};

constexpr ElementWork element_work(Bias bias) {
  // An addition; of columns also a conversion for two rows, and a shuffle for two pairs.
  return bias == Bias::kPerRow      ? ElementWork{1, 0}
         : bias == Bias::kPerColumn ? ElementWork{1.75, 0}
                                    : ElementWork{0, 0};
}

constexpr ElementWork element_work(Scales scales) {
  // A multiplication; of rows also one by the column's, and a shuffle for each pair of rows.
  return scales == Scales::kTensor ? ElementWork{1, 0}
         : scales == Scales::kRow  ? ElementWork{2.5, 0}
                                   : ElementWork{0, 0};
}

/// Of one element that is activated; of a gate half of the columns of A B are, and the others
/// factors.
constexpr ElementWork element_work(Activation activation) {
  switch (activation) {
    case Activation::kSwiglu:
      return {2, 0.5};
    case Activation::kGeglu:
      return {4.5, 0.5};
    case Activation::kGelu:
      return {8, 1};
    case Activation::kGeluTanh:
      return {6, 1};
    case Activation::kSilu:
      return {3, 1};
    case Activation::kNone:
    case Activation::kRelu:
      break;
  }
  return {0, 0};
}

/// Of R: half of a load and of what finds it and asks whether it is within bounds, a conversion and
/// an addition; from a stage of the ring one ldmatrix and its address for eight. Of amax: its mask,
/// a comparison, and whether the element is within bounds.
constexpr ElementWork element_work_of_result(const Epilogue& epilogue, bool residual_in_ring) {
  const double residual = residual_in_ring ? 2.25 : 4;
  return {(epilogue.residual ? residual : 0) + (epilogue.amax ? 4.0 : 0.0) +
              (epilogue.scale_c ? 1.0 : 0.0),
          0};
}

/// Of so many elements of A B, by threads that have the SM's arithmetic to themselves.
constexpr Cycles fused_time(const Epilogue& epilogue, double elements,
                            bool residual_in_ring = false) {
  constexpr double kIssuedPerCycle = 80, kSpecialPerCycle = 16;
  const ElementWork bias = element_work(epilogue.bias);
  const ElementWork activation = element_work(epilogue.activation);
  const ElementWork scales = element_work(epilogue.scales);
  const double issued = scales.issued + bias.issued + activation.issued +
                        element_work_of_result(epilogue, residual_in_ring).issued;
  return Cycles{elements * max_of(issued / kIssuedPerCycle, activation.special / kSpecialPerCycle)};
}

/// So many sums of a K block, added to those of the blocks before: an addition each, with block
/// scales a multiply-add, of which each of an SM's four schedulers starts 32 a cycle (CUDA
/// programming guide, as above).
constexpr Cycles promotion_time(double elements) {
  constexpr double kAdditionsPerCycle = 128;
  return Cycles{elements / kAdditionsPerCycle};
}

/// What a K block's wgmmas of one warpgroup take longer by another's promotion, which reads and
/// writes the registers of the same schedulers: two warpgroups that issue rows of 64x128 in turn,
/// without loads, took 552 cycles for 512 of wgmmas and 128 of multiply-adds
/// (docs/dev/notebook/2026-11.md).
constexpr Cycles promotion_beside(const GemmProblem& problem, const Tiling& t) {
  constexpr double kNotHidden = (552.0 - 512) / 128;
  const double elements = 1.0 * warpgroup_rows(t) * warpgroup_columns(t);
  return promotes(problem) && warpgroups_per_tile(t) > 1 ? promotion_time(elements) * kNotHidden
                                                         : Cycles{0};
}

/// What all tiles ask L2 for: of columns each warp those of its warpgroup, of rows its own; of
/// blocks the tile's producer A's, for all, and each warp one of B; of R each thread its own
/// elements.
inline Bytes epilogue_reads(const GemmProblem& problem, const Tiling& t) {
  const i32 of_warpgroup = problem.epilogue.bias == Bias::kPerColumn
                               ? kWarpsPerWarpgroup * warpgroup_columns(t)
                           : problem.epilogue.bias == Bias::kPerRow ? warpgroup_rows(t)
                                                                    : 0;
  const i64 tiles = ceil_div<i64>(problem.shape.m, t.block_m) *
                    ceil_div<i64>(problem.shape.n, t.block_n) * problem.batch.products;
  const Scales scales = problem.epilogue.scales;
  const double columns = kWarpsPerWarpgroup * warpgroup_columns(t);
  const double k_blocks = static_cast<double>(ceil_div<i64>(problem.shape.k, t.block_k));
  const double of_warps = 1.0 * warpgroups_per_tile(t) * kWarpsPerWarpgroup * scale_bytes();
  const double of_blocks =
      scales == Scales::kBlock ? k_blocks * (scale_copies(t) * scale_box_bytes(t) + of_warps) : 0;
  const double scales_of_warpgroup = scales == Scales::kRow      ? warpgroup_rows(t) + columns
                                     : scales == Scales::kTensor ? 2 * kWarpsPerWarpgroup
                                                                 : 0;
  const double of_warpgroups =
      warpgroups_per_tile(t) * (of_warpgroup * element_bytes(half_type(c_type(problem))) +
                                scales_of_warpgroup * scale_bytes());
  return Bytes{static_cast<double>(tiles) * (of_warpgroups + of_blocks) + residual_bytes(problem)};
}

}  // namespace tilecast
