// Attention forward: O = softmax(scale Q K^T) V for each query head of each sequence and,
// optionally, the log-sum-exp of each row of scores. Query heads share KV heads in equal groups
// (GQA; one KV head is MQA). Variable lengths (cu_seqlens) and a paged KV cache are not supported.
// The softmax scale is a launch argument, since it does not affect the time. Integers and enums
// only; compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/element_type.h"
#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"

namespace tilecast {

/// Keys that a query attends to.
enum class AttentionMask : i32 {
  kFull,    // all keys
  kCausal,  // keys up to the query's position; the last query and the last key have the same
            // position
};

/// Layout of Q, K, V and O in memory: order of b, h, s and d.
enum class AttentionLayout : i32 {
  kBhsd,  // [batch, heads, rows, head_dim]
  kBshd,  // [batch, rows, heads, head_dim]
};

struct AttentionProblem {
  i32 batch, heads, kv_heads;
  i32 queries, keys;  // rows of Q and O, and of K and V, per head
  i32 head_dim;       // 64, 128 or 256
  ElementType dtype;  // type of Q, K, V and O: fp16 or bf16
  AttentionMask mask;
  AttentionLayout layout;
  bool lse;  // also returns the natural log-sum-exp in fp32, [batch, heads, queries]

  constexpr bool operator==(const AttentionProblem&) const = default;
};

TILECAST_HD constexpr bool is_causal(const AttentionProblem& p) {
  return p.mask == AttentionMask::kCausal;
}
/// Number of query heads per KV head.
TILECAST_HD constexpr i32 heads_per_kv(const AttentionProblem& p) { return p.heads / p.kv_heads; }

/// Strides in elements of a matrix of `heads` heads of `rows` rows; d has stride 1.
struct AttentionStrides {
  i64 batch, head, row;
};
TILECAST_HD constexpr AttentionStrides attention_strides(AttentionLayout layout, i64 heads,
                                                         i64 rows, i64 head_dim) {
  return layout == AttentionLayout::kBhsd
             ? AttentionStrides{heads * rows * head_dim, rows * head_dim, head_dim}
             : AttentionStrides{heads * rows * head_dim, head_dim, heads * head_dim};
}

/// End of the keys that query `query` attends to under a causal mask; not above 0 for a query
/// before the first key.
TILECAST_HD constexpr i32 causal_end(i32 queries, i32 keys, i32 query) {
  return min_of(keys, query + 1 + (keys - queries));
}
/// Number of keys that query `query` attends to, from the first one on.
TILECAST_HD constexpr i32 keys_seen(const AttentionProblem& p, i32 query) {
  return is_causal(p) ? max_of(0, causal_end(p.queries, p.keys, query)) : p.keys;
}

/// Number of pairs of a query and a key that it attends to, over all heads.
TILECAST_HD constexpr double scores_seen(const AttentionProblem& p) {
  double of_head = 1.0 * p.queries * p.keys;
  if (is_causal(p)) {
    // The last `rows` queries attend to 1 + keys - rows to keys; with more queries than keys the
    // first queries attend to none.
    const double rows = min_of(p.queries, p.keys);
    of_head = rows * (p.keys - (rows - 1) / 2);
  }
  return of_head * p.batch * p.heads;
}

/// FLOPs of both products, without masked pairs.
TILECAST_HD constexpr double attention_flops(const AttentionProblem& p) {
  return 4 * scores_seen(p) * p.head_dim;
}

/// Bytes of Q (or of O), of K and V together, and of the log-sum-exp.
TILECAST_HD constexpr double query_bytes(const AttentionProblem& p) {
  return 1.0 * p.batch * p.heads * p.queries * p.head_dim * element_bytes(p.dtype);
}
TILECAST_HD constexpr double kv_bytes(const AttentionProblem& p) {
  return 2.0 * p.batch * p.kv_heads * p.keys * p.head_dim * element_bytes(p.dtype);
}
TILECAST_HD constexpr double lse_bytes(const AttentionProblem& p) {
  return p.lse ? 4 * 1.0 * p.batch * p.heads * p.queries : 0;
}

/// Compulsory DRAM traffic: inputs read once, results written once.
TILECAST_HD constexpr double attention_bytes(const AttentionProblem& p) {
  return 2 * query_bytes(p) + kv_bytes(p) + lse_bytes(p);
}

}  // namespace tilecast
