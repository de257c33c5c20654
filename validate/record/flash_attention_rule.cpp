#include "validate/record/flash_attention_rule.h"

#include <algorithm>
#include <cmath>

#include "model/attention/attention_work.h"

namespace tilecast {
namespace {

struct PublishedTile {
  i32 head_dim;
  bool causal;
  i32 groups, kv_block;
};
constexpr PublishedTile kPublishedTiles[] = {{64, false, 3, 128},  {64, true, 3, 128},
                                             {128, false, 2, 176}, {128, true, 2, 128},
                                             {256, false, 2, 80},  {256, true, 2, 80}};

/// Fraction of the rows of tiles that contain real rows.
double filled(i64 rows, i32 tile) {
  return static_cast<double>(rows) / static_cast<double>(round_up<i64>(rows, tile));
}

template <class Problem>
std::optional<PublishedChoice> choice_for(const Problem&, i32) {
  return std::nullopt;
}
std::optional<PublishedChoice> choice_for(const AttentionProblem& problem, i32 sms) {
  return PublishedChoice{flash_attention_rule(problem, sms), "FlashAttention-3's rule"};
}

}  // namespace

std::optional<PublishedChoice> published_choice(const AnyProblem& problem, i32 sms) {
  return std::visit([&](const auto& own) { return choice_for(own, sms); }, problem);
}

i32 flash_attention_splits(i32 tiles, i32 sms, i32 kv_blocks, i32 row_blocks, i64 kv_head_bytes,
                           bool causal) {
  constexpr double kAlmostFull = 0.8, kNearBest = 0.85;
  constexpr i64 kAssumedL2 = i64{50} << 20;
  constexpr i32 kFewBlocks = 4;
  if (tiles >= kAlmostFull * sms) {
    // If a KV head is larger than L2, many tiles use one part of it before any uses the next part.
    const bool reread = kv_head_bytes > kAssumedL2 && row_blocks >= 2 * sms && !causal;
    return reread ? static_cast<i32>(
                        std::min<i64>(ceil_div(kv_head_bytes, kAssumedL2), kMostAttentionSplits))
                  : 1;
  }
  if (kv_blocks <= kFewBlocks) {
    return 1;
  }
  const i32 most = std::min({kMostAttentionSplits, sms, kv_blocks});
  const auto efficiency = [&](i32 splits) {
    const double waves = static_cast<double>(tiles) * splits / sms;
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (i32 splits = 1; splits <= most; ++splits) {
    best = std::max(best, efficiency(splits));
  }
  i32 splits = 1;
  while (efficiency(splits) < kNearBest * best) {
    ++splits;
  }
  return splits;
}

AttentionConfig flash_attention_rule(const AttentionProblem& p, i32 sms) {
  constexpr double kPackedGain = 0.9;
  const bool causal = is_causal(p) && p.queries > 1;
  const PublishedTile& tile = *std::ranges::find_if(kPublishedTiles, [&](const PublishedTile& row) {
    return row.head_dim == p.head_dim && row.causal == causal;
  });
  AttentionConfig c{.schedule = AttentionSchedule::kOverlap,
                    .groups = tile.groups,
                    .kv_block = tile.kv_block,
                    .stages = 2,
                    .ctas_per_sm = 1,
                    .grid = AttentionGrid::kResident,
                    .order = causal ? AttentionOrder::kDynamic : AttentionOrder::kStatic,
                    .splits = 1,
                    .pack = false};
  const i32 group = heads_per_kv(p), rows = tile_rows(c);
  c.pack =
      group > 1 && filled(p.queries, rows) < kPackedGain * filled(i64{p.queries} * group, rows);
  const AttentionWork work = attention_work(p, c);
  const i64 kv_head_bytes = i64{2} * p.keys * p.head_dim * element_bytes(p.dtype);
  c.splits = flash_attention_splits(work.tiles(), sms, ceil_div(p.keys, c.kv_block),
                                    work.row_blocks, kv_head_bytes, causal);
  // tilecast's kernels sum the partial results in registers, in addition to O, S and P.
  constexpr i32 kKeyStep = 16;
  while (!fits_registers(c, p.head_dim)) {
    c.groups > 2 ? --c.groups : c.kv_block -= kKeyStep;
  }
  return c;
}

}  // namespace tilecast
