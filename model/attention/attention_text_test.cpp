#include "model/attention/attention_text.h"

#include "model/ops/any_op.h"
#include "model/ops/problem_fields.h"
#include "model/ops/short_config_text.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

AttentionProblem parsed(std::string_view shape, const FieldTexts& fields = {},
                        ElementType dtype = ElementType::kBf16) {
  return std::get<AttentionProblem>(problem_of(Op::kAttention, shape, dtype, fields));
}

TEST_CASE("An attention shape is batch, heads, KV heads, queries, keys and head dimension") {
  const AttentionProblem p = parsed("4x32:8x100x4096x128");
  CHECK(p.batch == 4);
  CHECK(p.heads == 32);
  CHECK(p.kv_heads == 8);
  CHECK(p.queries == 100);
  CHECK(p.keys == 4096);
  CHECK(p.head_dim == 128);
  CHECK(parsed("4x32x100x4096x128").kv_heads == 32);
  for (const char* shape : {"4x32:8x100x4096x128", "1x16x1x1x64"}) {
    CHECK(shape_text(parsed(shape)) == shape);
  }
}

TEST_CASE("Mask, layout and log-sum-exp are fields of an attention problem") {
  const AttentionProblem p =
      parsed("1x8x64x64x64", {{"mask", "causal"}, {"layout", "bshd"}, {"lse", "yes"}});
  CHECK(to_text(p) == "1x8x64x64x64 bf16 causal bshd lse");
  CHECK(to_text(parsed("1x8x64x64x64")) == "1x8x64x64x64 bf16 full bhsd");
  const auto why = [](const FieldTexts& fields) {
    return ERROR_MESSAGE(parsed("1x8x64x64x64", fields));
  };
  CHECK(contains(why({{"mask", "upper"}}), "expected one of full, causal"));
  CHECK(contains(why({{"epilogue", "gelu"}}), "applies only to gemm"));
  // A GEMM's default layout is ignored.
  CHECK(std::get<AttentionProblem>(
            problem_of(Op::kAttention, "1x8x64x64x64", ElementType::kBf16, {}, {{"layout", "tn"}}))
            .layout == AttentionLayout::kBhsd);
}

TEST_CASE("A shape that no attention kernel computes is refused with the expected values") {
  const auto why = [](std::string_view shape, ElementType dtype = ElementType::kBf16) {
    return ERROR_MESSAGE(parsed(shape, {}, dtype));
  };
  CHECK(contains(why("4x32:8x4096"), "paged KV cache are not supported"));
  CHECK(contains(why("4x32:5x64x64x128"),
                 "the number of heads is not a multiple of the number of KV heads"));
  CHECK(contains(why("4x32:8x64x64x96"), "64, 128 or 256"));
  CHECK(!why("4x0x64x64x64").empty());
  CHECK(contains(why("1x1x1x16777217x64"), "each from 1 to 2^24"));
  // 2^24 sequences of 64 heads have 2^30 tiles, the maximum that kernels count.
  CHECK(contains(why("16777216x65x64x1x64"), "more than 2^30 tiles"));
  CHECK(contains(why("16777216x16777216x16777216x16777216x64"), "2^30"));
  // 2^33 rows of 64 columns in two bytes are 2^40 bytes.
  CHECK(why("1x1024x1x8388608x64").empty());
  CHECK(contains(why("1x1024x1x8388609x64"), "more than 2^40 bytes"));
  CHECK(!why("4x8:8:8x64x64x64").empty());
  CHECK(contains(why("4x32x64x64x64", ElementType::kE4m3), "expected fp16 or bf16"));
}

TEST_CASE("Configurations of attention are read as they are written, long and short") {
  const std::string text =
      "attention_overlap:tile=128x176,stages=2,ctas=1,grid=resident,order=dynamic,splits=1,pack=no";
  const AttentionConfig c = std::get<AttentionConfig>(parse_config(text));
  CHECK(c.groups == 2);
  CHECK(c.kv_block == 176);
  CHECK(c.order == AttentionOrder::kDynamic);
  CHECK(to_text(AnyConfig(c)) == text);
  CHECK(short_text(AnyConfig(c)) == "ao 128x176 s2 o1 re dy k1");
  CHECK(parse_config("ao 128x176 s2 o1 re dy k1") == AnyConfig(c));
  AttentionConfig packed = c;
  packed.pack = true;
  packed.splits = 8;
  packed.grid = AttentionGrid::kTiles;
  packed.order = AttentionOrder::kStatic;
  CHECK(short_text(AnyConfig(packed)) == "ao 128x176 s2 o1 ct st k8 pk");
  CHECK(parse_config(short_text(AnyConfig(packed))) == AnyConfig(packed));
  // 96 rows are not whole warpgroups.
  CHECK(contains(ERROR_MESSAGE(parse_config(
                     "attention_overlap:tile=96x176,stages=2,ctas=1,grid=resident,order=dynamic,"
                     "splits=1,pack=no")),
                 "expected the canonical form"));
}

}  // namespace
}  // namespace tilecast
