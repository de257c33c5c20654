// What an epilogue adds to a kernel: instructions of every element of C, and reads of the bias. The
// closed forms and the simulator both ask.
//
// Instructions are counted in the SASS of warp_specialized 128x256x64, fp16, tn (NVRTC 13.0): those
// of each epilogue less those of none, over the 128 elements of a thread. The special function unit
// takes 16 elements a cycle (CUDA programming guide, throughput of arithmetic instructions). Four
// warps could issue each cycle, 128 elements; an H200 issued some 80 of them in four epilogues of
// two cooperative kernels, whose two warps per scheduler wait for their own results
// (validate/DEVIATIONS.md, E6): simulated cycles of 210 kernels with and without epilogues are then
// 1.5 % off, with 128 1.9 %. relu is part of the conversion.
//
// Leaves out: registers that a deferred store does not get; energy of the instructions.
//
// Checked by: fused_epilogue_test.cpp.
#pragma once

#include "model/base/math.h"
#include "model/base/units.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

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

constexpr ElementWork element_work(Activation activation) {
  switch (activation) {
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

/// Of so many elements of C, by threads that have the SM's arithmetic to themselves.
constexpr Cycles fused_time(const Epilogue& epilogue, double elements) {
  constexpr double kIssuedPerCycle = 80, kSpecialPerCycle = 16;
  const ElementWork bias = element_work(epilogue.bias);
  const ElementWork activation = element_work(epilogue.activation);
  return Cycles{elements * max_of((bias.issued + activation.issued) / kIssuedPerCycle,
                                  activation.special / kSpecialPerCycle)};
}

/// What all tiles ask L2 for: of columns each warp those of its warpgroup, of rows its own.
constexpr Bytes bias_reads(const GemmProblem& problem, const Tiling& t) {
  const i32 of_warpgroup = problem.epilogue.bias == Bias::kPerColumn
                               ? kWarpsPerWarpgroup * warpgroup_columns(t)
                           : problem.epilogue.bias == Bias::kPerRow ? warpgroup_rows(t)
                                                                    : 0;
  const i64 tiles = ceil_div<i64>(problem.shape.m, t.block_m) *
                    ceil_div<i64>(problem.shape.n, t.block_n) * problem.batch.products;
  return Bytes{static_cast<double>(tiles) * warpgroups_per_tile(t) * of_warpgroup *
               element_bytes(c_type(problem))};
}

}  // namespace tilecast
