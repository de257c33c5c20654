#include "validate/record/flash_attention_rule.h"

#include "model/attention/attention_text.h"
#include "model/ops/problem_fields.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr i32 kSms = 132;

AttentionConfig rule(const char* shape, const char* mask = "full") {
  return flash_attention_rule(std::get<AttentionProblem>(problem_of(
                                  Op::kAttention, shape, ElementType::kBf16, {{"mask", mask}})),
                              kSms);
}

TEST_CASE("FlashAttention-3's tiles follow the head dimension and the mask") {
  CHECK(tile_text(rule("4x16x4096x4096x128")) == "128x176");
  CHECK(tile_text(rule("4x16x4096x4096x128", "causal")) == "128x128");
  CHECK(tile_text(rule("4x16x4096x4096x256", "causal")) == "128x80");
  CHECK(rule("4x16x4096x4096x128", "causal").order == AttentionOrder::kDynamic);
  CHECK(rule("4x16x4096x4096x128").order == AttentionOrder::kStatic);
}

TEST_CASE("FlashAttention-3's tile shrinks where our kernels lack registers to sum parts") {
  CHECK(tile_text(rule("1x16:1x1x4096x64")) == "128x128 k28");
  CHECK(rule("1x16:1x1x4096x64").splits > 1);
}

TEST_CASE("FlashAttention-3 packs query heads where they fill rows better by a tenth") {
  CHECK(rule("4x32:8x1x4096x128").pack);
  CHECK(!rule("4x32:32x1x4096x128").pack);
  CHECK(!rule("4x32:8x4096x4096x128").pack);  // 4,096 rows are whole tiles
  CHECK(rule("4x128:1x1x4096x128").pack);
  CHECK(rule("4x32:8x160x4096x128").pack);  // 160 of 256 rows are filled; packed, 640 of 640
}

TEST_CASE("FlashAttention-3 takes the fewest splits within 85 % of the best last wave") {
  // 106 tiles occupy 0.8 of the SMs: no splits.
  CHECK(flash_attention_splits(106, kSms, 64, 1, 1 << 20, false) == 1);
  // 105 tiles: with one to four splits they fill 0.795 of their waves, with five 3.98 of four
  // waves.
  CHECK(flash_attention_splits(105, kSms, 64, 1, 1 << 20, false) == 5);
  // 8 tiles: 33 splits are two whole waves; 14 splits fill 112 of 132 SMs, 0.848; 15 fill 0.909.
  CHECK(flash_attention_splits(8, kSms, 64, 1, 1 << 20, false) == 15);
  CHECK(flash_attention_splits(8, kSms, 4, 1, 1 << 20, false) == 1);  // too few key blocks to split
  // Heads of 128 MiB are processed in parts of at most 50 MiB.
  CHECK(flash_attention_splits(4096, kSms, 4096, 264, i64{128} << 20, false) == 3);
  CHECK(flash_attention_splits(4096, kSms, 4096, 264, i64{128} << 20, true) == 1);
}

TEST_CASE("Only attention has a published choice") {
  const AnyProblem attention =
      problem_of(Op::kAttention, "4x32:8x1x4096x128", ElementType::kBf16, {});
  REQUIRE(published_choice(attention, kSms));
  CHECK(std::get<AttentionConfig>(published_choice(attention, kSms)->config) ==
        rule("4x32:8x1x4096x128"));
  CHECK(!published_choice(problem_of(Op::kGemm, "64x64x64", ElementType::kBf16, {}), kSms));
}

}  // namespace
}  // namespace tilecast
