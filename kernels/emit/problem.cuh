// The problem of an emitted kernel: its sides and types, its groups as the device reads them, and
// where an element of C finds its sums.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "kernels/gemm/gemm_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast::emitted {

constexpr i64 kM = TILECAST_M, kN = TILECAST_N, kK = TILECAST_K;  // of groups all rows in memory
constexpr Batch kBatch{TILECAST_PRODUCTS, TILECAST_ONE_A != 0, TILECAST_ONE_B != 0};
constexpr i64 kProducts = kBatch.products;  // matrices of C

#ifdef TILECAST_GROUP_NUMBERS
// Each group's end, or of masked groups how many rows it has. As they are known here, they may be
// other ones when the kernel runs: it reads them from the device.
constexpr i32 kGroupNumbers[] = {TILECAST_GROUP_NUMBERS};
constexpr i64 kGroups = sizeof(kGroupNumbers) / sizeof(i32);
constexpr i64 kCapacity = TILECAST_GROUP_CAPACITY;  // of masked ones; else 0
#else
constexpr i32 kGroupNumbers[] = {0};
constexpr i64 kGroups = 0, kCapacity = 0;
#endif

constexpr i64 kMatricesOfA = Config::kGroupedAlongK || kBatch.one_a ? 1 : kProducts;
constexpr i64 kMatricesOfB = Config::kGrouped                         ? kGroups
                             : Config::kGroupedAlongK || kBatch.one_b ? 1
                                                                      : kProducts;

/// Of the operands as they lie in memory; kLayout is what the kernel runs (swapped_operands.h).
constexpr Layout kGivenLayout = Config::kSwapped ? transposed(Config::kLayout) : Config::kLayout;
constexpr i64 kLda = TILECAST_LDA, kLdb = TILECAST_LDB, kLdc = TILECAST_LDC;
constexpr i64 kElementsOfA = kMatricesOfA * (a_is_k_major(kGivenLayout) ? kM : kK) * kLda,
              kElementsOfB = kMatricesOfB * (b_is_k_major(kGivenLayout) ? kN : kK) * kLdb;
/// One launch, but for groups: of these all rows as one product.
constexpr GemmProblem kProblem{
    .shape = {kM, kN, kK},
    .dtype = Config::kElementType,
    .layout = kGivenLayout,
    .epilogue = Config::kEpilogue,
    .c = Config::kCType,
    .batch = Config::kGrouped || Config::kGroupedAlongK ? Batch{} : kBatch,
    .leading = {.a = kLda, .b = kLdb, .c = kLdc}};
constexpr i64 kColumnsOfC = c_columns(kProblem);
constexpr i64 kElementsOfC = kProducts * kM * kColumnsOfC, kSpanOfC = kProducts * kM * kLdc;
constexpr bool kFp8 = is_fp8(Config::kElementType);
using Element = TILECAST_ELEMENT;  // of A and B
using CElement = TILECAST_C_ELEMENT;
using BiasElement = TILECAST_BIAS_ELEMENT;
constexpr i64 kBiasElements = bias_elements(Config::kEpilogue, kM, kN);
// As kernels/jit/gemm_launch.cpp has rows of A's scales unless told otherwise.
constexpr i64 kRowOfScales =
    has_block_scales(Config::kEpilogue) ? round_up<i64>(kM, scales_apart()) : kM;
constexpr ScaleElements kScaleElements = scale_elements({.shape = {kRowOfScales, kN, kK},
                                                         .dtype = Config::kElementType,
                                                         .layout = kGivenLayout,
                                                         .epilogue = Config::kEpilogue});
constexpr i64 kScalesOfB = kScaleElements.b * (Config::kGrouped ? kGroups : 1);

/// Rows of C that are written, of all groups or products.
constexpr i64 rows_written() {
  i64 rows = kCapacity > 0 ? 0 : kProducts * kM;
  for (const i32 of_group : kGroupNumbers) {
    rows += kCapacity > 0 ? of_group : 0;
  }
  return rows;
}
constexpr double kMultiplyAdds =
    1.0 * (Config::kGroupedAlongK ? kM : rows_written()) * static_cast<double>(kN) * kK;

/// Of an element of C.
struct Factors {
  i64 matrix_of_a, matrix_of_b, k_begin, k_end;
  bool written;  // not in the room behind a masked group's rows
};

/// `row`: of C, over all products; `numbers`: the groups', on the device.
__device__ inline Factors factors_of(i64 row, const i32* numbers) {
  const i64 product = row / kM;
  if constexpr (Config::kGroupedAlongK) {
    return {0, 0, product == 0 ? 0 : numbers[product - 1], numbers[product], true};
  }
  if constexpr (Config::kGrouped && kCapacity > 0) {
    constexpr i64 kRoom = max_of(kCapacity, i64{1});  // compiled, and not run, where it is 0
    return {0, row / kRoom, 0, kK, row % kRoom < numbers[row / kRoom]};
  }
  if constexpr (Config::kGrouped) {
    i64 group = 0;
    while (group + 1 < kGroups && row >= numbers[group]) {
      ++group;
    }
    return {0, group, 0, kK, true};
  }
  return {kBatch.one_a ? 0 : product, kBatch.one_b ? 0 : product, 0, kK, true};
}

}  // namespace tilecast::emitted
