// The compile-time and launch arguments of an attention kernel. Read by the kernels (NVRTC) and by
// the host code that launches them, so that both sides agree by construction.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "model/attention/attention_work.h"

namespace tilecast {

/// Tensor maps have five sides: d, head of a group, row, group of heads, batch. A group is the
/// query heads of one KV head where they are packed, else one head.
struct AttentionArgs {
  TensorMap q, k, v, o;  // boxes query_box() and kv_box()
  AttentionWork work;
  i32 tiles;                  // work.tiles()
  i32 heads;                  // query heads of a sequence
  FastDivisor groups_per_kv;  // groups of heads of the work that share one KV head
  float scale_log2;           // softmax scale / ln 2, above 0
  float* lse;                 // [batch, heads, queries], or null
  // With splits: the parts of the output and log2-sum-exps (attention_work.h), how many parts of
  // each tile are done, and where the last CTA of a tile puts their sum.
  float *partial_o, *partial_lse;
  u32* parts_done;  // zero between launches
  void* out;
  AttentionStrides out_strides;
  u32* draws;  // of the dynamic order: tiles drawn, CTAs done; zero between launches
};

/// Rows and heads of one bulk copy of 64 columns.
struct HeadsBox {
  i32 heads, rows;
};
/// Box of a warpgroup's loads and stores: 64 rows of whole queries.
TILECAST_HD constexpr HeadsBox query_box(i32 packed_heads) {
  return {packed_heads, kGroupRows / packed_heads};
}
TILECAST_HD constexpr HeadsBox kv_box(const AttentionConfig& config) {
  return {1, config.kv_block};
}

/// `Given` (kernels/jit/attention_source.cpp) has, static and constant: AttentionConfig kConfig;
/// i32 kHeadDim; ElementType kElementType; bool kCausal; i32 kPackedHeads, 1 where heads are not
/// packed. Lengths, strides, heads, the number of splits and the walk are run-time arguments.
template <class Given>
struct AttentionKernel : Given {
  static constexpr AttentionConfig kConfig = Given::kConfig;
  static constexpr AttentionSmem kSmem = attention_smem(kConfig, Given::kHeadDim);
  static constexpr AttentionRegisters kRegisters = attention_registers(kConfig);
  static constexpr i32 kThreads = attention_threads(kConfig);
  static constexpr i32 kGroups = kConfig.groups;  // consumer warpgroups
  static constexpr i32 kKvBlock = kConfig.kv_block;
  static constexpr i32 kStages = kConfig.stages;
  static constexpr i32 kQuerySlots = kSmem.q_slots;
  static constexpr bool kTurns = traits_of(kConfig.schedule).takes_turns && kGroups > 1;
  static constexpr bool kSplits = kConfig.splits > 1;  // of the keys
  static constexpr bool kClusters = kConfig.grid == AttentionGrid::kClusters;
  static constexpr bool kDynamic = kConfig.order == AttentionOrder::kDynamic;
  static constexpr i32 kQueries = kGroupRows / Given::kPackedHeads;  // of a warpgroup

  static constexpr i32 kSlab = 64;  // columns of a swizzled row of 128 bytes
  static constexpr i32 kSlabs = Given::kHeadDim / kSlab;
  static constexpr i32 kRowBytes = 128;
  static constexpr i32 kQuerySlabBytes = kGroupRows * kRowBytes;
  static constexpr i32 kKvSlabBytes = kKvBlock * kRowBytes;
  static constexpr i32 kLoadedQueryBytes = kSlabs * kQueries * Given::kPackedHeads * kRowBytes;

  static_assert(Given::kHeadDim % kSlab == 0 && Given::kHeadDim <= 256, "whole slabs");
  static_assert(kKvBlock % kScoresStep == 0 && kKvBlock <= 256, "whole wgmmas of P V");
};

}  // namespace tilecast
