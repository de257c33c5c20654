#include "model/gemm/problem/leading_text.h"

#include "model/gemm/problem/problem_text.h"
#include "model/ops/any_op.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

GemmProblem of(const char* text) { return parse_gemm_problem(text); }

}  // namespace

TEST_CASE("Leading dimensions follow a problem's words, and packed ones are omitted") {
  for (const char* text :
       {"64x128x72 fp16 tn lda=80", "64x128x72 fp16 nn bias_n lda=73 ldb=136 ldc=256",
        "4*64x128x72 bf16 tn ldc=136", "[64,0,3]x128x72 bf16 tn ldb=80", "64x128x71 fp16 tn"}) {
    CHECK(to_text(AnyProblem{of(text)}) == text);
  }
  CHECK(of("64x128x72 lda=72 ldb=72 ldc=128 fp16") == of("64x128x72"));
  // Rows of B run along K in layout tn, and along N in layout nn.
  CHECK(of("64x128x72 tn ldb=128").leading.b == 128);
  CHECK(of("64x128x72 nn ldb=128").leading.b == 0);
  CHECK(gemm_of_shape("64x128x72 lda=80 ldc=136").leading == LeadingDimensions{80, 0, 136});
}

TEST_CASE("A leading dimension shorter than a row, or of another op, is an error") {
  CHECK(ERROR_MESSAGE(of("64x128x72 lda=71")) == "2 lda is 71: expected 72 to 274877906944, or 0");
  CHECK(ERROR_MESSAGE(of("64x128x72 lda=80 lda=88")) == "2 lda: given twice, 80 and 88");
  CHECK(ERROR_MESSAGE(of("64x128x72 ldc=127")) ==
        "2 ldc is 127: expected 128 to 274877906944, or 0");
  CHECK(ERROR_MESSAGE(of("64x128x72 lda=x")) ==
        "2 lda: expected a row stride in elements, or 0, got 'x'");
  CHECK(ERROR_MESSAGE(split_leading("64x128x72 lda=80 fast")) ==
        "2 shape '64x128x72 lda=80 fast': expected lda=, ldb= or ldc= after it, got 'fast'");
  CHECK(contains(ERROR_MESSAGE(problem_of_shape(Op::kMemcpy, "4096 lda=8192", ElementType::kFp16)),
                 "expected a number of elements"));
}

}  // namespace tilecast
