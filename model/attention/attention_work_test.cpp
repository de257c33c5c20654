#include "model/attention/attention_work.h"

#include <set>
#include <tuple>

#include "tests/attention_problem.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr AttentionProblem problem_of(i32 queries, i32 keys, AttentionMask mask, i32 kv_heads = 4) {
  return attention_of(2, 4, kv_heads, queries, keys, 128, mask);
}
constexpr AttentionConfig config_of(i32 groups, i32 kv_block,
                                    AttentionOrder order = AttentionOrder::kStatic, i32 splits = 1,
                                    bool pack = false) {
  return {.schedule = AttentionSchedule::kSpecialized,
          .groups = groups,
          .kv_block = kv_block,
          .stages = 2,
          .ctas_per_sm = 1,
          .grid = AttentionGrid::kResident,
          .order = order,
          .splits = splits,
          .pack = pack};
}

TEST_CASE("A causal tile has as many blocks as its last query sees, and masks the diagonal") {
  const AttentionWork work =
      attention_work(problem_of(512, 512, AttentionMask::kCausal), config_of(2, 64));
  CHECK(work.row_blocks == 4);
  // Queries 128 to 255 attend to 129 to 256 keys: four blocks, of which the first two need no mask.
  const AttentionTile second = work.tile(0, 1, 0);
  CHECK(second.query == 128);
  CHECK(second.count == 4);
  CHECK(second.masked == 2);
  // Query 0 attends to one key.
  CHECK(work.tile(0, 0, 0).count == 2);
  CHECK(work.tile(0, 0, 0).masked == 2);
}

TEST_CASE("A causal mask is aligned at the last query and the last key") {
  // The 128 queries are the last of 512 keys: query 0 attends to 385.
  const AttentionWork behind =
      attention_work(problem_of(128, 512, AttentionMask::kCausal), config_of(2, 64));
  CHECK(behind.tile(0, 0, 0).count == 8);
  CHECK(behind.tile(0, 0, 0).masked == 2);
  // With 512 queries and 128 keys the first 384 attend to none.
  const AttentionWork before =
      attention_work(problem_of(512, 128, AttentionMask::kCausal), config_of(2, 64));
  CHECK(before.tile(0, 2, 0).count == 0);
  CHECK(before.tile(0, 2, 0).masked == 0);
  CHECK(before.tile(0, 3, 0).count == 2);
}

TEST_CASE("Without a mask only a last block beyond the keys is masked") {
  const AttentionWork whole =
      attention_work(problem_of(128, 256, AttentionMask::kFull), config_of(2, 64));
  CHECK(whole.tile(0, 0, 0).masked == 0);
  const AttentionWork ragged =
      attention_work(problem_of(128, 257, AttentionMask::kFull), config_of(2, 64));
  CHECK(ragged.tile(0, 0, 0).count == 5);
  CHECK(ragged.tile(0, 0, 0).masked == 1);
}

TEST_CASE("Packed tiles hold whole queries of a KV head's group") {
  // Four query heads of one KV head: 64 rows are 16 queries.
  const AttentionProblem p = problem_of(40, 512, AttentionMask::kFull, 1);
  const AttentionWork work = attention_work(p, config_of(1, 64, AttentionOrder::kStatic, 1, true));
  CHECK(work.heads == 1);
  CHECK(work.queries_per_tile == 16);
  CHECK(work.row_blocks == 3);
  CHECK(work.tiles() == 2 * 3);
  // With three query heads each warpgroup's 64 rows hold 21 queries.
  AttentionProblem three = problem_of(40, 512, AttentionMask::kFull, 1);
  three.heads = 3;
  CHECK(
      attention_work(three, config_of(2, 64, AttentionOrder::kStatic, 1, true)).queries_per_tile ==
      42);
}

TEST_CASE("More than 64 packed heads are spread evenly over warpgroups") {
  AttentionProblem p = problem_of(3, 512, AttentionMask::kFull, 2);
  const auto packed = [&](i32 group, i32 warpgroups) {
    p.heads = 2 * group;
    return attention_work(p, config_of(warpgroups, 64, AttentionOrder::kStatic, 1, true));
  };
  // Each of the 65 heads' halves, 33 and 32, fills a warpgroup: two tiles of one warpgroup, or one
  // tile of two.
  CHECK(packed(65, 1).heads == 2 * 2);
  CHECK(packed(65, 2).heads == 2);
  CHECK(packed(65, 2).queries_per_tile == 1);
  CHECK(packed(128, 2).heads == 2);
  // 130 heads are split into 44, 44 and 42: with two warpgroups per tile, the second warpgroup of
  // the last tile has no heads.
  CHECK(packed(130, 2).heads == 2 * 2);
  CHECK(packed(130, 3).heads == 2);
  for (i32 group = 1; group <= 300; ++group) {
    p.heads = 2 * group;
    for (i32 warpgroups = 1; warpgroups <= 3; ++warpgroups) {
      const AttentionConfig c = config_of(warpgroups, 64, AttentionOrder::kStatic, 1, true);
      const PackedHeads heads = packed_heads(p, c);
      CHECK(heads.heads <= kGroupRows);
      CHECK(heads.heads * heads.warpgroups >= group);
      CHECK(heads.heads * (heads.warpgroups - 1) < group);
      CHECK(attention_work(p, c).heads / 2 * heads_of_tile(heads, c) >= group);
    }
  }
}

TEST_CASE("Up to eight rows of a warpgroup are one row of each thread") {
  const auto rows = [](i32 queries, i32 heads, bool pack) {
    AttentionProblem p = problem_of(queries, 512, AttentionMask::kFull, 1);
    p.heads = heads;
    return thread_rows(p, config_of(1, 64, AttentionOrder::kStatic, 1, pack));
  };
  CHECK(rows(1, 8, true) == 1);
  CHECK(rows(1, 9, true) == 2);
  CHECK(rows(2, 4, true) == 1);
  CHECK(rows(3, 4, true) == 2);
  CHECK(rows(1, 64, false) == 1);
  CHECK(rows(9, 1, false) == 2);
  CHECK(rows(1, 65, true) == 2);
}

TEST_CASE("The longest tiles of a section of heads come first") {
  AttentionProblem p = problem_of(256, 256, AttentionMask::kCausal);
  AttentionWork work = attention_work(p, config_of(2, 64, AttentionOrder::kLongestFirst));
  CHECK(work.section.divisor == 8);  // 128 KiB of keys and values per head: all fit
  work.set_section(3);
  const auto place = [&](i32 linear) {
    const AttentionTile tile = work.at(linear);
    return std::pair(tile.batch * 4 + tile.head, tile.row_block);
  };
  // Each head has two row blocks. The order: heads 0 to 2 with the second block, then with the
  // first, then heads 3 to 5.
  CHECK(place(0) == std::pair(0, 1));
  CHECK(place(2) == std::pair(2, 1));
  CHECK(place(3) == std::pair(0, 0));
  CHECK(place(6) == std::pair(3, 1));
  CHECK(place(12) == std::pair(6, 1));  // the last section has two heads
  CHECK(place(14) == std::pair(6, 0));
}

TEST_CASE("Tiles of every order cover each block of keys of every row once") {
  for (const AttentionMask mask : {AttentionMask::kFull, AttentionMask::kCausal}) {
    for (const auto& [queries, keys] : {std::pair(1, 1000), {300, 300}, {130, 77}, {257, 640}}) {
      for (const bool pack : {false, true}) {
        for (const i32 splits : {1, 3, 16}) {
          for (const AttentionOrder order :
               {AttentionOrder::kStatic, AttentionOrder::kLongestFirst}) {
            const AttentionProblem p = problem_of(queries, keys, mask, 2);
            AttentionWork work = attention_work(p, config_of(1, 96, order, splits, pack));
            work.set_section(min_of(static_cast<i32>(work.section.divisor), 3));
            std::set<std::tuple<i32, i32, i32, i32>> blocks;
            i64 counted = 0;
            for (i32 linear = 0; linear < work.tiles(); ++linear) {
              const AttentionTile tile = work.at(linear);
              for (i32 block = tile.first; block < tile.first + tile.count; ++block) {
                blocks.emplace(tile.batch, tile.head, tile.row_block, block);
                ++counted;
              }
            }
            CHECK(counted == static_cast<i64>(blocks.size()));
            i64 expected = 0;
            for (i32 row_block = 0; row_block < work.row_blocks; ++row_block) {
              const i32 last = min_of(queries, (row_block + 1) * work.queries_per_tile) - 1;
              expected += ceil_div(keys_seen(p, last), 96);
            }
            CHECK(counted == expected * 2 * work.heads);
          }
        }
      }
    }
  }
}

TEST_CASE("Scores are counted row by row") {
  for (const auto& [queries, keys] : {std::pair(5, 5), {3, 8}, {8, 3}, {1, 1}}) {
    const AttentionProblem p = problem_of(queries, keys, AttentionMask::kCausal);
    double sum = 0;
    for (i32 query = 0; query < queries; ++query) {
      sum += keys_seen(p, query);
    }
    CHECK(scores_seen(p) == sum * 8);
  }
}

TEST_CASE("The published tiles fit a consumer's registers") {
  // 64 x 128 accumulators, 64 x 176 scores and their P in 16 bits take 64 + 88 + 44 registers.
  AttentionConfig c = config_of(2, 176);
  CHECK(accumulator_registers(c, 128) == 196);
  CHECK(attention_registers(c).consumer == 232);
  c.groups = 3;
  CHECK(attention_registers(c).consumer == 160);
  CHECK(attention_registers(config_of(1, 64)).consumer == 240);
}

TEST_CASE("128 x 176 with two stages at a head dimension of 128 fills shared memory") {
  // Shared memory holds 32 KiB of Q and 4 x 44 KiB of K and V.
  const AttentionSmem smem = attention_smem(config_of(2, 176), 128);
  CHECK(smem.barrier_offset == 32768 + 4 * 45056);
  CHECK(smem.total_bytes <= 232448);
  CHECK(attention_smem(config_of(2, 192), 128).total_bytes <= 232448);
  CHECK(attention_smem(config_of(2, 208), 128).total_bytes > 232448);
}

}  // namespace
}  // namespace tilecast
