#include "model/ops/any_op.h"

#include "model/base/error.h"
#include "model/gemm/problem/problem_text.h"
#include "tests/catch.h"

namespace tilecast {

TEST_CASE("A GEMM's text is read back, with defaults for the fields that it omits") {
  for (const char* text :
       {"1024x512x256 fp16 tn", "32*1024x1024x512 bf16 nn", "[256,0,17]x4096x7168 bf16 tn",
        "512x512x128 e4m3 tn", "512x512x128 e5m2->fp16 tn", "1024x512x256 fp16 nn bias_n+gelu",
        "1024x512x256 bf16->fp32 tn residual", "1024x512x256 fp16->e4m3 tn silu+amax+scale_c",
        "512x512x128 e4m3->e4m3 tn scale_c", "512x512x128 e4m3 tn exact",
        "2*512x512x128 e5m2->fp16 tn exact bias_n", "512x512x128 e4m3 tn scale_block",
        "1024x512x256 fp16 tn swiglu ldc=264"}) {
    CHECK(to_text(parse_gemm_problem(text)) == text);
  }
  CHECK(to_text(parse_gemm_problem("64x128x256")) == "64x128x256 fp16 tn");
  CHECK(to_text(parse_gemm_problem("64x128x256 nn bf16")) == "64x128x256 bf16 nn");
  for (const char* text :
       {"", "64x128", "64x128x256 fp61", "64x128x256 fp16->fp61", "64x128x256 fp16->bf16",
        "64x128x256 fp16->e5m2", "64x128x256 fp16 exact", "64x128x256 fp16 fast",
        "64x128x256 e4m3 fast scale_block"}) {
    CHECK_THROWS_AS(parse_gemm_problem(text), ConfigError);
  }
}

TEST_CASE("fp8 accumulation is fast by default, and promoted with block scales") {
  const GemmProblem fast = parse_gemm_problem("512x512x128 e4m3 tn");
  CHECK(parse_gemm_problem("512x512x128 e4m3 tn fast") == fast);
  CHECK(accumulate_text(fast) == "fast");
  const GemmProblem exact = parse_gemm_problem("512x512x128 e4m3 tn exact");
  CHECK(exact != fast);
  CHECK(accumulate_text(exact) == "exact");
  const GemmProblem scaled = parse_gemm_problem("512x512x128 e4m3 tn scale_block");
  CHECK(parse_gemm_problem("512x512x128 e4m3 tn exact scale_block") == scaled);
  CHECK(accumulate_text(scaled) == "exact");
  CHECK(accumulate_text(parse_gemm_problem("512x512x128 bf16 tn")).empty());
}

}  // namespace tilecast
