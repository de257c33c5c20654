#include "validate/measure/gemm/operands.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

GemmProblem problem(i64 m, i64 n, i64 k) {
  return {.shape = {m, n, k}, .dtype = ElementType::kFp16, .layout = Layout::kTn};
}

constexpr Bytes kL2{60.0 * 1024 * 1024};

}  // namespace

TEST_CASE("Buffer sets together exceed three times L2") {
  // 512^3 in 16 bit takes 3 x 512 KiB = 1.5 MiB; 180 MiB / 1.5 MiB = 120, and one more set exceeds
  // it.
  const SetLayout layout = set_layout(problem(512, 512, 512), kL2);
  CHECK(layout.set_bytes() == 3u * 512 * 1024);
  CHECK(layout.sets.count == 121);
}

TEST_CASE("A large problem still has two sets, so that no launch repeats the last one's data") {
  CHECK(set_layout(problem(8192, 8192, 8192), kL2).sets.count == 2);  // each set has 384 MiB
}

TEST_CASE("Each operand starts at a multiple of 1024 bytes") {
  const SetLayout layout = set_layout(problem(1000, 2001, 3000), kL2);
  CHECK(layout.a_bytes == 6'000'640);   // 1000 x 3000 x 2 = 6,000,000 -> 5860 x 1024
  CHECK(layout.b_bytes == 12'006'400);  // 2001 x 3000 x 2 = 12,006,000 -> 11725 x 1024
  CHECK(layout.c_bytes == 4'002'816);   // 1000 x 2001 x 2 = 4,002,000 -> 3909 x 1024
}

TEST_CASE("A problem too small to rotate over L2 is measured warm, or refused if it must rotate") {
  // 64^3 takes three operands of 8 KiB; 180 MiB / 24 KiB = 7680 sets, more than the launches of one
  // graph.
  const BufferSets sets = set_layout(problem(64, 64, 64), kL2).sets;
  CHECK(sets.to_rotate == 7681);
  CHECK(sets.count == 2);
  CHECK_THROWS_AS(require_sets(sets, L2State::kRotating), ConfigError);
  require_sets(sets, L2State::kWarm);
  require_sets(sets, L2State::kFlushed);
  require_sets(set_layout(problem(512, 512, 512), kL2).sets, L2State::kRotating);
}
