#include "model/attention/attention_model.h"

#include "model/ops/any_op.h"
#include "tests/attention_problem.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

constexpr Hertz kClock{1.6e9};

constexpr AttentionProblem problem_of(i32 queries, i32 keys,
                                      AttentionMask mask = AttentionMask::kFull) {
  return attention_of(2, 16, 16, queries, keys, 128, mask);
}
AttentionConfig config_of(const std::string& text) {
  return std::get<AttentionConfig>(parse_config(text));
}
Cycles cycles_of(const GpuSpec& gpu, const AttentionProblem& p, const std::string& config) {
  REQUIRE(why_not_legal(gpu, p, config_of(config)).empty());
  return form_at(gpu, p, config_of(config), kClock).cycles;
}

TEST_CASE("Exponentials twice as fast help the base and hardly the kernel that hides them") {
  GpuSpec fast = h200();
  fast.machine->fused_special *= 2;
  const auto gain = [&](const std::string& config) {
    const AttentionProblem p = problem_of(4096, 4096);
    return 1 - cycles_of(fast, p, config) / cycles_of(h200(), p, config);
  };
  // One warpgroup runs in sequence: 64 x 128 scores take 0.69 x 512 cycles of exponentials, halved
  // by the change, in a block of about 2,400 cycles. Its stages leave room for one CTA.
  CHECK(gain("as 64x128 s3 o1 ct st k1") > 0.06);
  // With alternating warpgroups and scores ahead, exponentials overlap the other group's products.
  CHECK(gain("ao 128x128 s3 o1 re st k1") < 0.015);
}

TEST_CASE("A GPU whose file has no section of attention uses the priors") {
  GpuSpec without = h200();
  without.attention.reset();
  GpuSpec priors = h200();
  priors.attention = kAttentionPriors;
  const AttentionProblem p = problem_of(2048, 2048);
  for (const char* config : {"aw 128x128 s2 o1 re st k1", "ao 64x64 s2 o1 cl st k4"}) {
    CHECK(cycles_of(without, p, config) == cycles_of(priors, p, config));
    CHECK(cycles_of(without, p, config) / cycles_of(h200(), p, config) == Approx(1).epsilon(0.1));
  }
}

TEST_CASE("Each teaching kernel is at least as fast as the one before") {
  const AttentionProblem p = problem_of(8192, 8192);
  const Cycles single = cycles_of(h200(), p, "as 64x128 s2 o1 ct st k1");
  const Cycles specialized = cycles_of(h200(), p, "aw 128x128 s2 o1 re st k1");
  const Cycles ping_pong = cycles_of(h200(), p, "ap 128x128 s2 o1 re st k1");
  const Cycles overlap = cycles_of(h200(), p, "ao 128x128 s2 o1 re st k1");
  CHECK(specialized < single * 0.9);
  CHECK(ping_pong < specialized * 0.98);
  CHECK(overlap < ping_pong * 1.02);  // the products limit both
}

TEST_CASE(
    "A block takes no less than its products, and nearly as little where they hide the rest") {
  // Both products of 128 x 128 scores take 2 x 2 x 128^3 / 4,096 = 2,048 cycles. The exposed vector
  // instructions of the other warpgroup add (64 x 128 x 2 x 6 + 64 x 128 x 2) / 128.
  const double vector =
      h200().attention->shown * h200().machine->promotion_shown * h200().attention->slots * 896;
  const AttentionForm form =
      form_at(h200(), problem_of(8192, 8192), config_of("ao 128x128 s3 o1 re st k1"), kClock);
  CHECK(form.parts.step.value > 2048 + vector - 1);
  CHECK(form.parts.step.value < 1.05 * (2048 + vector));
}

TEST_CASE("A causal mask nearly halves the time, and more so where the longest tiles come first") {
  const AttentionProblem full = problem_of(4096, 4096),
                         causal = problem_of(4096, 4096, AttentionMask::kCausal);
  const Cycles whole = cycles_of(h200(), full, "ao 128x128 s3 o1 re st k1");
  const Cycles in_turn = cycles_of(h200(), causal, "ao 128x128 s3 o1 re st k1");
  const Cycles longest = cycles_of(h200(), causal, "ao 128x128 s3 o1 re lf k1");
  const Cycles drawn = cycles_of(h200(), causal, "ao 128x128 s3 o1 re dy k1");
  CHECK(drawn < in_turn);
  CHECK(drawn <= longest);
  CHECK(drawn / whole > 0.5);
  CHECK(drawn / whole < 0.62);
}

TEST_CASE("Decode reads K and V once, at nearly the rate of DRAM") {
  const AttentionProblem p = attention_of(16, 32, 8, 1, 32768);
  AttentionPlans plans(h200(), p);
  const AttentionConfig config = config_of("aw 64x96 s2 o2 ct st k2 pk");
  const AttentionPlan& plan = plans.of(config);
  // K and V: 16 x 8 heads of 32,768 keys of 128 x 2 bytes.
  CHECK(kv_bytes(p) == 2147483648.0);
  CHECK(plan.dram_read.value == Approx(kv_bytes(p) + query_bytes(p)));
  const Seconds time = time_of(closed_form(h200(), p, config, plan, kClock).cycles, kClock);
  CHECK(time > transfer_time(Bytes{kv_bytes(p)}, h200().dram->read_rate));
  // 192 KiB in flight per SM slow DRAM by log2(192 / 64) x 6.7 %.
  CHECK(time < transfer_time(Bytes{kv_bytes(p)}, h200().dram->read_rate) * 1.12);
}

TEST_CASE("Few sequences of many keys are faster in splits, by far") {
  const AttentionProblem p = attention_of(1, 32, 8, 1, 32768);
  const Cycles whole = cycles_of(h200(), p, "aw 64x128 s3 o1 ct st k1 pk");
  const Cycles split = cycles_of(h200(), p, "aw 64x128 s3 o1 ct st k16 pk");
  CHECK(split < whole / 5);  // 128 of 132 SMs instead of 8
  // Each split writes a row of 128 sums and its log-sum-exp, in fp32, for 32 heads.
  AttentionPlans plans(h200(), p);
  CHECK(plans.of(config_of("aw 64x128 s3 o1 ct st k16 pk")).partial.value == 16 * 32 * 129 * 4);
  CHECK(form_at(h200(), p, config_of("aw 64x128 s3 o1 ct st k16 pk"), kClock).combine.value > 0);
}

TEST_CASE("Tiles of the same head share K and V in L2") {
  // There are 32 heads of 64 row blocks. A wave of 132 tiles works on at most three heads, so each
  // panel's lines are requested by 44 tiles or more, and DRAM reads K and V once.
  const AttentionProblem p = problem_of(8192, 8192);
  AttentionPlans plans(h200(), p);
  const AttentionPlan& plan = plans.of(config_of("ao 128x128 s3 o1 re st k1"));
  CHECK(plan.sharers > 40);
  CHECK(plan.dram_read.value == Approx(kv_bytes(p) + query_bytes(p)));
  // Each of the 64 row blocks of a head loads all keys.
  CHECK(plan.kv_from_l2.value == Approx(64 * kv_bytes(p)));
}

TEST_CASE("The busiest worker's blocks are those of its tiles under a causal mask") {
  // One head of four row blocks of 128, with blocks of 128 keys, has tiles of 1, 2, 3 and 4 blocks;
  // each worker has one tile.
  AttentionProblem p = problem_of(512, 512, AttentionMask::kCausal);
  p.batch = p.heads = p.kv_heads = 1;
  AttentionPlans plans(h200(), p);
  const AttentionPlan& plan = plans.of(config_of("ao 128x128 s3 o1 ct st k1"));
  CHECK(plan.tiles == 4);
  CHECK(plan.all_blocks == 10);
  CHECK(plan.masked_blocks == 4);
  CHECK(plan.busiest_blocks == 4);
  CHECK(plan.busiest_tiles == 1);
}

TEST_CASE("Packed heads spread over different numbers of warpgroups have plans of their own") {
  const AttentionProblem p = attention_of(4, 65, 1, 1, 8192);
  const AttentionConfig one = config_of("ao 64x64 s2 o1 ct st k1 pk");
  const AttentionConfig two = config_of("ao 128x64 s2 o1 ct st k1 pk");
  AttentionPlans shared(h200(), p), fresh(h200(), p);
  CHECK(shared.of(one).tiles == 2 * shared.of(two).tiles);  // 65 heads in rows of 64 or of 128
  CHECK(shared.of(two).tiles == fresh.of(two).tiles);
  CHECK(shared.of(two).kv_from_l2.value == fresh.of(two).kv_from_l2.value);
}

TEST_CASE("Registers and shared memory bound the resident CTAs without a producer") {
  // O, S and P of 64 x 64 at head dimension 128 take 32 + ... = 112 registers, other values 26: 144
  // are allocated, so 65,536 registers hold three CTAs of 128 threads. 228 KB of shared memory hold
  // four CTAs with Q (16 KB), a stage of K and one of V (16 KB each) and a reserved KB.
  const AttentionProblem p = problem_of(4096, 4096);
  CHECK(resident_ctas(h200(), p, config_of("as 64x64 s1 o1 ct st k1")) == 3);
  CHECK(resident_ctas(h200(), p, config_of("as 64x64 s3 o1 ct st k1")) == 2);  // 112 KB
  CHECK(resident_ctas(h200(), p, config_of("aw 64x64 s1 o1 ct st k1")) ==
        1);  // as the configuration requests
  // The H200's GPCs hold 66 clusters of two, 30 of four, 15 of eight.
  const auto workers = [&](const char* config) {
    return resident_workers(h200(), p, config_of(config));
  };
  CHECK(workers("aw 64x64 s2 o1 cl st k2") == 132);
  CHECK(workers("aw 64x64 s2 o1 cl st k4") == 120);
  CHECK(workers("aw 64x64 s2 o1 cl st k5") == 23 * 5);
  CHECK(workers("aw 64x64 s2 o1 cl st k16") == 7 * 16);
  CHECK(workers("aw 64x64 s2 o1 ct st k4") == 132);
}

TEST_CASE("DRAM takes longer with more bytes in flight") {
  const AttentionProblem p = attention_of(64, 32, 8, 1, 8192);
  // One CTA per SM has 64 KiB in flight, two have 128 KiB.
  const auto dram = [&](const char* config) {
    return form_at(h200(), p, config_of(config), kClock).parts.dram;
  };
  CHECK(dram("aw 64x64 s2 o2 re st k1 pk") / dram("aw 64x64 s2 o1 re st k1 pk") ==
        Approx(1 + h200().attention->crowding).epsilon(0.002));
}

TEST_CASE("Energy counts products of rows that exist, and the vector instructions") {
  AttentionProblem p = problem_of(1, 4096);
  const AttentionForm form = form_at(h200(), p, config_of("aw 64x128 s2 o1 ct st k1"), kClock);
  // There are 32 heads x 32 blocks of 64 x 128 scores. Only one of the 64 rows exists.
  const double flops = 4.0 * 32 * 32 * 64 * 128 * 128;
  CHECK(form.activity.work.tensor.value == Approx(flops / 64));
  CHECK(form.activity.work.out_of_bounds.value == Approx(flops * 63 / 64));
  // A thread computes only the first of its two rows.
  CHECK(form.activity.work.promoted == Approx(32.0 * 32 * (64 * 128 * 4.5 + 64 * 128) / 2));
}

}  // namespace
}  // namespace tilecast
