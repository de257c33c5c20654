// An fp8 GEMM as the machine sees it: two neighbours along K are one element of 16 bits.
//
// A K-major fp8 matrix has the bytes of a 16-bit one of half its columns; a bulk copy, a swizzle
// and a matrix descriptor know bytes alone, and an fp8 wgmma takes 32 elements of K from the bytes,
// and in the cycles, in which a 16-bit one takes 16. So everything that moves, holds or times
// operands counts K in pairs and needs no second case: kernels, shared memory, legality, closed
// forms, simulation. Users count elements: the conversion lies where the two meet (check_legal,
// enumerate_candidates, predict_one, rank_all, explain, gemm_source, GemmLaunch).
//
// What is left of the type: the instruction's name, the joules of a flop, the flops of a pair.
// Checked by: fp8_pairs_test.cpp, validate/measure/fp8_test.cpp (kernels).
#pragma once

#include "model/base/math.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {

/// Elements of K in one of the machine's: 2 of fp8, else 1.
TILECAST_HD constexpr i32 k_elements(ElementType type) {
  return is_fp8(type) || is_fp8_pair(type) ? 2 : 1;
}

TILECAST_HD constexpr ElementType in_pairs(ElementType type) {
  return type == ElementType::kE4m3   ? ElementType::kE4m3x2
         : type == ElementType::kE5m2 ? ElementType::kE5m2x2
                                      : type;
}

/// Unchanged where the type is not fp8, or in pairs already.
TILECAST_HD constexpr GemmProblem in_pairs(GemmProblem problem) {
  if (is_fp8(problem.dtype)) {
    const LeadingDimensions read = read_leading(problem);
    problem.shape.k = ceil_div<i64>(problem.shape.k, 2);
    const auto in_pairs_of = [&](i64 row) { return row / 2 == problem.shape.k ? 0 : row / 2; };
    problem.leading = {in_pairs_of(read.a), in_pairs_of(read.b), read.c};
    problem.dtype = in_pairs(problem.dtype);
  }
  return problem;
}

/// `config` as of a problem of `type`, whose block_k is even where that is fp8 (check_legal).
TILECAST_HD constexpr KernelConfig in_pairs(ElementType type, KernelConfig config) {
  config.tiling.block_k /= is_fp8(type) ? 2 : 1;
  return config;
}

/// The inverse: `config` as those who ask for a problem of `type` write it.
TILECAST_HD constexpr KernelConfig in_elements(ElementType type, KernelConfig config) {
  config.tiling.block_k *= is_fp8(type) ? 2 : 1;
  return config;
}

/// Multiply-adds counted as two, whichever way K is counted.
TILECAST_HD constexpr double gemm_flops(const GemmProblem& problem) {
  return tensor_flops(problem) * (is_fp8_pair(problem.dtype) ? 2 : 1);
}

}  // namespace tilecast
