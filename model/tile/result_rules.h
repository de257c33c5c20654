// Which configurations can give C a type, and take the last steps of an epilogue
// (kernels/device/result.cuh). Legality and the kernels' sources both ask.
// Checked by: result_rules_test.cpp.
#pragma once

#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"
#include "model/tile/register_plan.h"
#include "model/tile/residual_ring.h"
#include "model/tile/smem_layout.h"

namespace tilecast {

/// What a thread that loads R ahead, or looks for the largest magnitude, needs beside its sums: of
/// compiled kernels some spill with 80, next to none with 88. R that comes through the ring needs
/// no more than C.
constexpr i32 kBesideResult = 88;

TILECAST_HD constexpr bool registers_hold_result(const KernelConfig& config, ElementType c,
                                                 const Epilogue& epilogue) {
  const bool loads =
      epilogue.residual && residual_stages(config, c_column_bytes(c, epilogue), epilogue) == 0;
  return (!loads && !epilogue.amax) || !has_producer_warpgroup(config.schedule) ||
         accumulator_registers(config.tiling) + kBesideResult <=
             register_plan(consumer_warpgroups(config.schedule, config.tiling), config.ctas_per_sm,
                           config.producer_registers)
                 .consumer;
}

/// Tiles that end in odd eights of columns have 16-bit elements of C, each of a column. What waits
/// in registers for a deferred store is 16 bits for a column at most. Several pieces of a tile
/// would each find a largest magnitude.
TILECAST_HD constexpr bool takes_result(const KernelConfig& config, ElementType c,
                                        const Epilogue& epilogue) {
  const i32 bytes = c_column_bytes(c, epilogue);
  const bool usual = bytes == kOperandBytes && !gates(epilogue);
  return (usual || (!uses_tcgen05(config.schedule) && !in_odd_eights(config.tiling))) &&
         (bytes <= kOperandBytes || config.store == Store::kAtTileEnd) &&
         (!epilogue.amax || !splits_k(config.schedule)) &&
         registers_hold_result(config, c, epilogue);
}

/// alpha A B + beta C reads an old C that has an element for each column of A B, and is no fp8.
TILECAST_HD constexpr bool takes_alpha_beta(ElementType c, const Epilogue& epilogue) {
  return c != ElementType::kE4m3 && !gates(epilogue);
}

}  // namespace tilecast
