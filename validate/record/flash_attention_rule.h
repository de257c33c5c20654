// The kernel that FlashAttention-3 runs for a problem on Hopper, as its hopper/tile_size.h and
// hopper/heuristics.h choose it (v2.8, 16-bit types): its tile by head dimension and mask, packed
// query heads if that fills rows better by a tenth, and the fewest splits of the keys within 85 %
// of the best last wave. The result is tilecast's kernel with the same tile, order, packing and
// splits. It differs only for full attention with a head dimension of 64: FlashAttention-3's tile
// is 192x192 with P in shared memory, tilecast's is 192x128 with P in registers. Checked by:
// flash_attention_rule_test.cpp.
#pragma once

#include <optional>

#include "model/attention/attention_config.h"
#include "model/ops/any_op.h"

namespace tilecast {

/// `sms`: number of SMs of the GPU.
AttentionConfig flash_attention_rule(const AttentionProblem& problem, i32 sms);

/// The kernel that a published rule selects for a problem, if tilecast has that kernel.
struct PublishedChoice {
  AnyConfig config;
  const char* rule;
};
/// Returns the choice on a GPU of `sms` SMs; std::nullopt for an op without such a rule.
std::optional<PublishedChoice> published_choice(const AnyProblem& problem, i32 sms);

/// Returns the rule's number of splits. `tiles`: number of tiles without splits; `row_blocks`:
/// number of row blocks of one head.
i32 flash_attention_splits(i32 tiles, i32 sms, i32 kv_blocks, i32 row_blocks, i64 kv_head_bytes,
                           bool causal);

}  // namespace tilecast
