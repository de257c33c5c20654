#include "model/gemm/problem/operand_copies.h"

#include "model/gemm/problem/problem_text.h"
#include "model/gemm/problem/swapped_operands.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

GemmProblem of(const char* text) { return parse_gemm_problem(text); }

}  // namespace

TEST_CASE("Operands whose rows are not 16-byte aligned are copied") {
  CHECK(copied_operands(of("64x64x64")) == CopiedOperands{false, false});
  CHECK(copied_operands(of("64x64x63")) == CopiedOperands{true, true});
  CHECK(copied_operands(of("64x63x64")) == CopiedOperands{false, false});  // threads store C's rows
  CHECK(copied_operands(of("64x63x64 nn")) == CopiedOperands{false, true});
  CHECK(copied_operands(of("64x64x63 nn")) == CopiedOperands{true, false});
  CHECK(copied_operands(of("64x64x63 lda=64")) == CopiedOperands{false, true});
  CHECK(copied_operands(of("64x64x64 ldb=65")) == CopiedOperands{false, true});
  // 16 elements of fp8 are 16 bytes; an odd K ends inside a pair, regardless of the rows' pitch.
  CHECK(copied_operands(of("64x64x72 e4m3")) == CopiedOperands{true, true});
  CHECK(copied_operands(of("64x64x72 e4m3 lda=80 ldb=80")) == CopiedOperands{false, false});
  CHECK(copied_operands(of("64x64x71 e4m3 lda=80 ldb=80")) == CopiedOperands{true, true});
}

TEST_CASE("A kernel reads 16-byte aligned rows, of its operand or of the copy") {
  CHECK(a_row(of("64x64x63")) == 64);
  CHECK(a_row(of("64x64x63 lda=80")) == 80);
  CHECK(a_row(of("64x64x63 lda=81")) == 64);
  CHECK(b_row(of("64x50257x64 nn")) == 50264);
  CHECK(a_row(of("64x64x64 lda=65 ldc=72")) == 64);
  CHECK(a_row(of("64x64x4095 e4m3")) == 4096);
  CHECK(a_row(of("64x64x4096 e4m3 lda=8192")) == 8192);
  const GemmProblem turned = transposed(of("64x128x64 lda=72 ldb=80 ldc=136"));
  CHECK(turned.leading == LeadingDimensions{80, 72, 136});
}

TEST_CASE("Copies have the rows of all matrices of their operands") {
  // Rows of 63 elements become 64 of 2 bytes.
  CHECK(copy_bytes(of("10x20x63")).a == 10 * 64 * 2);
  CHECK(copy_bytes(of("10x20x63")).b == 20 * 64 * 2);
  CHECK(copy_bytes(of("3:a*10x20x63")).a == 10 * 64 * 2);
  CHECK(copy_bytes(of("3:a*10x20x63")).b == 3 * 20 * 64 * 2);
  CHECK(copy_bytes(of("[4,0,6]x20x63")).b == 3 * 20 * 64 * 2);
  CHECK(copy_bytes(of("10x21x64 nn")).b == 64 * 24 * 2);
  CHECK(copy_bytes(of("10x20x30 e4m3")).a == 10 * 32);
  CHECK(copy_bytes(of("10x20x64 ldc=24")).a + copy_bytes(of("10x20x64 ldc=24")).b == 0);
}

}  // namespace tilecast
