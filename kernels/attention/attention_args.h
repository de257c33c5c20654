// Launch arguments of an attention kernel. The kernels (NVRTC) and the host code that launches them
// include this file, so that both agree. The kernels are templates on `Config`, a type of constants
// that kernels/jit/attention_source.cpp generates.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "kernels/launch/heads_view.h"
#include "model/attention/attention_work.h"

namespace tilecast {

/// Tensor maps have five dimensions: d, head of a set, row, set of heads, batch. A set is the query
/// heads of one KV head if they are packed, else one head.
struct AttentionArgs {
  TensorMap q, k, v, o;  // maps with boxes query_box() and kv_box()
  AttentionWork work;
  i32 tiles;                 // equals work.tiles()
  i32 heads;                 // query heads of a sequence
  FastDivisor heads_per_kv;  // number of the work's heads that share one KV head
  float scale_log2;          // softmax scale / ln 2, positive
  float* lse;                // [batch, heads, queries], or null
  // With splits: partial outputs and log2-sum-exps (attention_work.h), the number of finished
  // splits of each tile, and the output to which the last CTA of a tile writes their sum.
  float *partial_o, *partial_lse;
  u32* parts_done;  // zero between launches
  void* out;
  AttentionStrides out_strides;
  u32* draws;  // dynamic order: tiles drawn, CTAs done; zero between launches
};

/// Box of a warpgroup's loads and stores: 64 rows of whole queries.
TILECAST_HD constexpr HeadsBox query_box(const PackedHeads& packed) {
  return {packed.heads, kGroupRows / packed.heads};
}
TILECAST_HD constexpr HeadsBox kv_box(const AttentionConfig& config) {
  return {1, config.kv_block};
}

}  // namespace tilecast
