#include "model/tile/any_op.h"

#include "model/base/error.h"
#include "tests/catch.h"

namespace tilecast {

TEST_CASE("A GEMM's text is read back, and what it leaves out goes without saying") {
  for (const char* text :
       {"1024x512x256 fp16 tn", "32*1024x1024x512 bf16 nn", "[256,0,17]x4096x7168 bf16 tn",
        "512x512x128 e4m3 tn", "512x512x128 e5m2->fp16 tn", "1024x512x256 fp16 nn bias_n+gelu",
        "1024x512x256 bf16->fp32 tn residual", "1024x512x256 fp16->e4m3 tn silu+amax+scale_c",
        "512x512x128 e4m3->e4m3 tn scale_c", "1024x512x256 fp16 tn swiglu ldc=264"}) {
    CHECK(to_text(parse_gemm_problem(text)) == text);
  }
  CHECK(to_text(parse_gemm_problem("64x128x256")) == "64x128x256 fp16 tn");
  CHECK(to_text(parse_gemm_problem("64x128x256 nn bf16")) == "64x128x256 bf16 nn");
  for (const char* text : {"", "64x128", "64x128x256 fp61", "64x128x256 fp16->fp8",
                           "64x128x256 fp16->bf16", "64x128x256 fp16->e5m2"}) {
    CHECK_THROWS_AS(parse_gemm_problem(text), ConfigError);
  }
}

}  // namespace tilecast
