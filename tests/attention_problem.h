// Attention problems of tests: bf16, in layout [b,h,s,d], without the log-sum-exp.
#pragma once

#include "model/attention/attention_problem.h"

namespace tilecast {

constexpr AttentionProblem attention_of(i32 batch, i32 heads, i32 kv_heads, i32 queries, i32 keys,
                                        i32 head_dim = 128,
                                        AttentionMask mask = AttentionMask::kFull) {
  return {.batch = batch,
          .heads = heads,
          .kv_heads = kv_heads,
          .queries = queries,
          .keys = keys,
          .head_dim = head_dim,
          .dtype = ElementType::kBf16,
          .mask = mask,
          .layout = AttentionLayout::kBhsd,
          .lse = false};
}

}  // namespace tilecast
