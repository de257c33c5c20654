// The configuration a GEMM kernel is compiled for, as a type that device code is templates on.
//
// kernels/jit/gemm_source.cpp writes out `Given`: what must be constant, and whether tiles lie on a
// Hilbert curve, which is a third of a kernel's code. Bands, walk, shape and grid are run-time
// arguments. GemmConfig<Given> adds what follows.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/residual_ring.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// `Given` has, static and constant:
///   KernelConfig kKernel;             raster and decomposition as by default
///   ElementType kElementType, kCType; of A and B, of C
///   Layout kLayout;
///   Epilogue kEpilogue;
///   bool kExact;                      fp8 sums leave the tensor cores block by block
///   bool kBatched;                    several products in one launch; groups are batches, too
///   bool kGrouped, kGroupedAlongK;    groups along M (group_table.cuh), along K (k_groups.cuh)
///   bool kAlphaBeta, kOnHilbertCurve, kTimeline;
///   LaunchOrder kLaunch;
template <class Given>
struct GemmConfig : Given {
  static constexpr Tiling kTiling = Given::kKernel.tiling;
  static constexpr i32 kInflight = Given::kKernel.inflight;
  static constexpr i32 kCtasPerSm = Given::kKernel.ctas_per_sm;
  static constexpr i32 kConsumerWarpgroups =
      consumer_warpgroups(Given::kKernel.schedule, Given::kKernel.tiling);
  static constexpr i32 kThreads = threads_per_cta(Given::kKernel.schedule, Given::kKernel.tiling);
  /// Registers that a producer warpgroup hands to the consumers.
  static constexpr RegisterPlan kRegisters =
      register_plan(kConsumerWarpgroups, kCtasPerSm, Given::kKernel.producer_registers);

  static constexpr i32 kClusterSize = cluster_size(kTiling);
  /// CTAs that read what one CTA loads: those in its row and in its column of the cluster.
  static constexpr i32 kClusterPeers = kTiling.cluster_m + kTiling.cluster_n - 1;

  /// What the kernel calls C is C transposed (swapped_operands.h).
  static constexpr bool kSwapped = Given::kKernel.operands == OperandOrder::kSwapped;
  /// Sums leave the tensor cores K block by K block (promotion.cuh).
  static constexpr bool kPromoted = Given::kExact || has_block_scales(Given::kEpilogue);
  /// Code that scales is compiled in. Kernels that split K and fuse nothing always have it:
  /// without, ptxas allots their registers so that some spill.
  static constexpr bool kScales =
      Given::kAlphaBeta || (splits_k(Given::kKernel.schedule) && !fuses(Given::kEpilogue) &&
                            Given::kCType != ElementType::kE4m3);

  // The steps of the epilogue, by kind; of a kind that it does not have, NoStep.
  template <OutputKind kKind>
  using Step = typename OutputSteps::At<Given::kEpilogue.of(kKind).number>::Type;
  using Scales = Step<OutputKind::kScale>;
  using Bias = Step<OutputKind::kBias>;
  using Activate = Step<OutputKind::kActivate>;
  using Load = Step<OutputKind::kLoad>;
  static constexpr bool kGates = gates(Given::kEpilogue);
  static constexpr bool kLoads = Given::kEpilogue.has(OutputKind::kLoad);  // R
  static constexpr bool kFindsAmax = Given::kEpilogue.has(OutputKind::kAmax);
  static constexpr bool kScalesC = Given::kEpilogue.has(OutputKind::kConvert);

  /// Bytes that a column of A B leaves in C.
  static constexpr i32 kColumnBytes = c_column_bytes(Given::kCType, Given::kEpilogue);
  static constexpr SmemLayout kSmem =
      smem_layout(Given::kKernel.schedule, Given::kKernel.tiling, kColumnBytes);
  /// C borrows stages of the ring instead of having slots of its own.
  static constexpr bool kCBorrows = kTiling.c_slots == 0;
  /// R comes through the ring of stages where the copy engine can load it (residual_ring.cuh).
  static constexpr bool kResidualInRing =
      residual_stages(Given::kKernel, kColumnBytes, Given::kEpilogue) > 0;

  /// Chunks of each warpgroup of a tile in one stage.
  static constexpr i32 kResidualChunks =
      residual_chunks_in_stage(Given::kKernel.schedule, kTiling, kColumnBytes);

  // How a thread stages C (result.cuh): as pairs that are rounded when they are activated; by
  // stmatrix, which takes pairs of 16-bit elements; in so many words of sixteen columns.
  static constexpr bool kStagesMatrices = element_bytes(Given::kCType) == 2 && !kGates;
  static constexpr bool kRoundsPairs = kStagesMatrices && !kLoads && !kFindsAmax;
  static constexpr i32 kSixteenWords = 2 * kColumnBytes;

  /// K elements and bytes of a swizzle row of a K-major operand.
  static constexpr i32 kSlab = k_slab_elements(kTiling);
  static constexpr i32 kOperandBytes = kTiling.operand_bytes;
  static constexpr i32 kSlabRowBytes = kSlab * kOperandBytes;
  /// K elements of an instruction, and instructions along a K block.
  static constexpr i32 kInstructionK = instruction_k(kTiling);
  static constexpr i32 kSteps = k_steps(kTiling);
  /// Bytes of block scales that come with a K block.
  static constexpr i32 kScaleBytes =
      has_block_scales(Given::kEpilogue) ? scale_copies(kTiling) * scale_box_bytes(kTiling) : 0;
  static constexpr bool kMMajorA = !a_is_k_major(Given::kLayout);
  static constexpr bool kNMajorB = !b_is_k_major(Given::kLayout);

  // wgmma alone: instructions and the part of a tile that is a warpgroup's.
  static constexpr i32 kInstructionN = instruction_n(Given::kKernel);
  static constexpr i32 kMmasAlongM = wgmmas_along_m(kTiling);
  static constexpr i32 kMmasAlongN = wgmmas_along_n(Given::kKernel);
  static constexpr i32 kWarpgroupRows = warpgroup_rows(kTiling);
  static constexpr i32 kWarpgroupColumns = warpgroup_columns(kTiling);

  // The chunks in which that part is staged on its way to C (c_chunk.cuh).
  static constexpr i32 kSlotColumns = c_slot_columns(kTiling);
  static constexpr i32 kBoxColumns = c_box_columns(kTiling, kColumnBytes);
  static constexpr i32 kBoxRowBytes = kBoxColumns * kColumnBytes;
  static constexpr i32 kBoxBytes = kWgmmaM * kBoxRowBytes;
  static constexpr i32 kChunksAcross = ceil_div(kWarpgroupColumns, kSlotColumns);
  static constexpr i32 kChunks = c_chunks(kTiling);
};

/// A kernel's parameter: GemmArgs, and what it is compiled for.
template <class Config>
struct Args : GemmArgs {};

}  // namespace tilecast
