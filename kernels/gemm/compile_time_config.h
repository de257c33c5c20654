// The configuration a GEMM kernel is compiled for, from the macros that kernels/jit defines: what
// must be constant, and whether tiles lie on a Hilbert curve, which is a third of a kernel's code.
// Bands, walk, shape and grid are run-time arguments.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "model/base/host_device.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"
#include "model/tile/smem_layout.h"

// Only the tcgen05 kernels are told.
#ifndef TILECAST_ACCUMULATORS
#define TILECAST_ACCUMULATORS 0
#define TILECAST_TAKEOVER 0
#endif

// Only kernels whose C has another type than A and B are told.
#ifndef TILECAST_C_TYPE
#define TILECAST_C_TYPE TILECAST_ELEMENT_TYPE
#endif

// Only kernels that swap their operands are told.
#ifndef TILECAST_SWAPPED
#define TILECAST_SWAPPED 0
#endif

namespace tilecast {

constexpr KernelConfig kConfig{
    .schedule = static_cast<Schedule>(TILECAST_SCHEDULE),
    .tiling = {.block_m = TILECAST_BLOCK_M,
               .block_n = TILECAST_BLOCK_N,
               .block_k = TILECAST_BLOCK_K,
               .stages = TILECAST_STAGES,
               .warpgroups_m = TILECAST_WARPGROUPS_M,
               .warpgroups_n = TILECAST_WARPGROUPS_N,
               .cluster_m = TILECAST_CLUSTER_M,
               .cluster_n = TILECAST_CLUSTER_N,
               .c_slots = TILECAST_C_SLOTS},
    .ctas_per_sm = TILECAST_CTAS_PER_SM,
    .inflight = TILECAST_INFLIGHT,
    .producer_registers = TILECAST_PRODUCER_REGISTERS,
    .a_source = static_cast<OperandSource>(TILECAST_A_SOURCE),
    .instruction_n = TILECAST_INSTRUCTION_N,
    .grid = TILECAST_TAKEOVER != 0 ? Grid::kTakeover : Grid::kTiles,
    .raster = {},
    .decomposition = {},
    .accumulators = TILECAST_ACCUMULATORS,
    .store = TILECAST_DEFERRED != 0 ? Store::kDeferred : Store::kAtTileEnd,
    .operands = TILECAST_SWAPPED != 0 ? OperandOrder::kSwapped : OperandOrder::kInOrder,
};
constexpr Tiling kTiling = kConfig.tiling;
constexpr ElementType kElementType = static_cast<ElementType>(TILECAST_ELEMENT_TYPE);  // of A and B
constexpr ElementType kCType = static_cast<ElementType>(TILECAST_C_TYPE);
constexpr Layout kLayout = static_cast<Layout>(TILECAST_LAYOUT);
constexpr bool kOnHilbertCurve = TILECAST_HILBERT != 0;
/// The problem's. A function, since a constant would be a symbol of every cubin, those included
/// that fuse nothing and are to stay as they were.
TILECAST_HD consteval Epilogue fused() {
  Epilogue epilogue{static_cast<Bias>(TILECAST_BIAS), static_cast<Activation>(TILECAST_ACTIVATION)};
#ifdef TILECAST_SCALES
  epilogue.scales = static_cast<Scales>(TILECAST_SCALES);
#endif
#ifdef TILECAST_RESULT
  epilogue.residual = (TILECAST_RESULT & kResultResidual) != 0;
  epilogue.amax = (TILECAST_RESULT & kResultAmax) != 0;
  epilogue.scale_c = (TILECAST_RESULT & kResultScale) != 0;
#endif
  return epilogue;
}
/// Sums leave the tensor cores K block by K block (promotion.cuh). A function for the same reason.
TILECAST_HD consteval bool promoted() {
#ifdef TILECAST_EXACT
  return true;
#else
  return has_block_scales(fused());
#endif
}
/// Bytes that a column of A B leaves in C. A function for the same reason.
TILECAST_HD consteval i32 column_bytes() { return c_column_bytes(kCType, fused()); }
/// What the kernel calls C is C transposed (swapped_operands.h). A function for the same reason.
TILECAST_HD consteval bool swapped() { return TILECAST_SWAPPED != 0; }
/// Of several products in one launch. A function for the same reason.
TILECAST_HD consteval bool batched() {
#ifdef TILECAST_BATCHED
  return true;
#else
  return false;
#endif
}
/// Of groups along M, of rows that have a B each (group_table.cuh). These are batched kernels, too:
/// the matrices of B are a third side of its tensor map.
TILECAST_HD consteval bool grouped() {
#ifdef TILECAST_GROUPED
  return true;
#else
  return false;
#endif
}
/// A function for the same reason.
TILECAST_HD consteval LaunchOrder launched() {
#ifdef TILECAST_LAUNCH
  return static_cast<LaunchOrder>(TILECAST_LAUNCH);
#else
  return LaunchOrder::kInTurn;
#endif
}
/// Of groups along K (k_groups.cuh), of which each is a product of a batch.
TILECAST_HD consteval bool parts_k() {
#ifdef TILECAST_GROUPED_K
  return true;
#else
  return false;
#endif
}
/// Code that scales is compiled in. Kernels that split K and fuse nothing always have it: without,
/// ptxas allots their registers so that some spill.
constexpr bool kScales =
    static_cast<SumScale>(TILECAST_SUM_SCALE) == SumScale::kAlphaBeta ||
    (splits_k(kConfig.schedule) && !fuses(fused()) && kCType != ElementType::kE4m3);

constexpr SmemLayout kSmem = smem_layout(kConfig.schedule, kTiling, column_bytes());
constexpr i32 kInflight = kConfig.inflight;
constexpr i32 kConsumerWarpgroups = consumer_warpgroups(kConfig.schedule, kTiling);
constexpr i32 kThreads = threads_per_cta(kConfig.schedule, kTiling);

/// C borrows stages of the ring instead of having slots of its own.
constexpr bool kCBorrows = kTiling.c_slots == 0;

}  // namespace tilecast
