// Compares batches with equivalent problems: a single GEMM, or a taller one.

#include "model/gemm/menu/legality.h"
#include "tests/gemm_config.h"
#include "tests/same_prediction.h"

namespace tilecast {
namespace {

GemmProblem batch_of(Batch batch, GemmShape shape, ElementType dtype = ElementType::kFp16) {
  return {.shape = shape, .dtype = dtype, .layout = Layout::kTn, .batch = batch};
}

const char* const kConfigs[] = {
    "pe 128x128x64 s5 w2x1 c1x1 o1 i1 e2 m8", "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 n4",
    "pp 64x128x64 s6 w1x1 c1x1 o1 i1 e2 m4k", "pi 128x128x64 s4 w2x1 c1x1 o1 i1 e0 h",
    "sk 128x128x64 s5 w2x1 c1x1 o1 i1 e2 m8 k8+t"};

}  // namespace

TEST_CASE("A batch that shares B equals one taller GEMM if M is a multiple of the tile") {
  // Six GEMMs of 512 rows have the same tiles, panels and stores, in the same order, as one of
  // 3,072.
  check_same(batch_of({6, false, true}, {512, 1000, 512}), batch_of({}, {6 * 512, 1000, 512}),
             kConfigs);
}

TEST_CASE("A batch of one equals the single GEMM, with or without shared operands") {
  check_same(batch_of({1, true, true}, {1000, 1000, 512}), batch_of({}, {1000, 1000, 512}),
             kConfigs);
}

TEST_CASE("A batch with separate B reads more from DRAM and takes no less time") {
  // Compares sixteen matrices B of 1 MB each with one.
  const GemmShape shape{256, 1024, 512};
  for (const char* const config : kConfigs) {
    for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
      INFO(config);
      const Prediction own = predicted(batch_of({16}, shape), config, method);
      const Prediction shared = predicted(batch_of({16, false, true}, shape), config, method);
      CHECK(own.dram_read.value >= shared.dram_read.value + 14 * 1024 * 1024);
      CHECK(own.time.value >= shared.time.value * 0.98);
    }
  }
}

TEST_CASE("A batch has the FLOPs and bytes of its GEMMs") {
  const GemmProblem one = batch_of({}, {300, 200, 128}), ten = batch_of({10}, {300, 200, 128});
  CHECK(tensor_flops(ten) == 10 * tensor_flops(one));
  CHECK(gemm_bytes(ten) == 10 * gemm_bytes(one));
  // A, 300 x 128, is counted once, which saves nine times 76,800 bytes.
  CHECK(gemm_bytes(batch_of({10, true}, {300, 200, 128})) == gemm_bytes(ten) - 9 * 76'800);
}

TEST_CASE("Kernels without batch support say so") {
  const GemmProblem batch = batch_of({2}, {64, 64, 64});
  CHECK(check_legal(calibrated_h200(), batch,
                    gemm_config("sm 64x64x64 s1 w1x1 c1x1 o1 i0 e0 m1 rs in8")) ==
        Refusal::kSchedule);
  CHECK(why_not_solvable(calibrated_h200(), batch_of({i64{1} << 31}, {64, 1 << 10, 64}))
            .starts_with("a batch of 2147483648: at most 16777216 rows in total"));
  // 2^24 rows, with M a multiple of 64, or columns.
  CHECK(why_not_solvable(calibrated_h200(), batch_of({1 << 18}, {1, 8, 64})).empty());
  CHECK_FALSE(why_not_solvable(calibrated_h200(), batch_of({(1 << 18) + 1}, {1, 8, 64})).empty());
  CHECK(why_not_solvable(calibrated_h200(), batch_of({1 << 13}, {64, 1 << 11, 64})).empty());
  CHECK_FALSE(
      why_not_solvable(calibrated_h200(), batch_of({(1 << 13) + 1}, {64, 1 << 11, 64})).empty());
}

}  // namespace tilecast
