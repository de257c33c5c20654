#include "model/gemm/costs/tensor_operation.h"

#include <cmath>

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

const GemmProblem kProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};

KernelConfig tcgen05(i32 n, i32 group) {
  KernelConfig config = fixed_by_schedule(Schedule::kTcgen05WarpSpecialized);
  config.tiling.block_m = 128;
  config.tiling.block_n = n;
  config.tiling.block_k = 64;
  config.tiling.cluster_m = group;
  return config;
}

}  // namespace

TEST_CASE("One CTA's tcgen05 interval is the published max(N/2, 32 + N/4)") {
  const GpuSpec gpu = load_gpu("b200", false).spec;
  const auto interval = [&](i32 n) {
    return tensor_operation(gpu, kProblem, tcgen05(n, 1)).interval.value;
  };
  // Measured by https://github.com/SemiAnalysisAI/microbench-blackwell: 128 rows, operands in
  // shared memory.
  CHECK(interval(64) == 48);
  CHECK(interval(96) == 56);
  CHECK(interval(112) == 60);
  CHECK(interval(128) == 64);
  CHECK(interval(256) == 128);
}

TEST_CASE("Each CTA of a pair reads half of B, so narrow tiles are faster; within 3.5 cycles") {
  const GpuSpec gpu = load_gpu("b200", false).spec;
  const auto interval = [&](i32 n) {
    return tensor_operation(gpu, kProblem, tcgen05(n, 2)).interval.value;
  };
  const struct {
    i32 n;
    double published;
  } rows[] = {{64, 43.0}, {80, 45.3}, {96, 49.4}, {112, 56}, {128, 64}, {256, 128}};
  for (const auto& [n, published] : rows) {
    CHECK(interval(n) <= published);
    CHECK(interval(n) >= published - 3.5);
  }
}

TEST_CASE("Completion is seen 136 cycles after an interval, 170 for a pair") {
  const GpuSpec gpu = load_gpu("b200", false).spec;
  CHECK(tensor_operation(gpu, kProblem, tcgen05(256, 1)).completion == Cycles{136});
  CHECK(tensor_operation(gpu, kProblem, tcgen05(256, 2)).completion == Cycles{170});
  CHECK(tensor_operation(gpu, kProblem, tcgen05(256, 1)).per_k_block == 4);  // 64 / 16
}

TEST_CASE("wgmma uses the same abstraction: m64n256k16 takes 128 cycles") {
  KernelConfig config = fixed_by_schedule(Schedule::kPipelined);
  config.tiling.block_m = 128;
  config.tiling.block_n = 256;
  config.tiling.block_k = 64;
  config.tiling.warpgroups_m = 2;
  const TensorOperation operation = tensor_operation(h200(), kProblem, config);
  CHECK(operation.interval == Cycles{128});
  CHECK(operation.per_k_block == 4);  // steps of 16
  CHECK(operation.of_cta() == 8);     // instructions of two warpgroups
  CHECK(operation.operand_bytes == (64 + 256) * 16 * 2);
}

TEST_CASE("mma.sync and shared memory's port overlap in part") {
  const GpuSpec gpu = load_gpu("a100_sxm80", false).spec;
  KernelConfig config = fixed_by_schedule(Schedule::kMultistage);
  Tiling& t = config.tiling;
  t.block_m = t.block_n = 128;
  t.block_k = 32;
  t.warpgroups_n = 2;
  TensorOperation operation = tensor_operation(gpu, kProblem, config);
  CHECK(operation.per_k_block == 4);  // twice 64 rows, steps of 16
  // 64 x 64 x 16 of one warpgroup takes 2 * 65536 / 2048 cycles. Bytes: A's rows, B's columns for
  // four warps and half of 128 rows, and an eighth of the K block's 256 rows, each half a line:
  // 8192 B / 128 per cycle.
  CHECK(operation.operand_bytes == 32 * (64 + 4 * 64 / 2) + 256 * 64 / 8);
  CHECK(operation.operands == Cycles{64});
  CHECK(operation.interval.value == Approx(64 * std::cbrt(2)));
  CHECK(operation.copies_exposed);  // two steps, ldmatrix of 48 cycles
  // Rows that start at odd multiples of 16 bytes: every second one touches 3 sectors instead of 2.
  const GemmProblem off{{4096, 4096, 4104}, ElementType::kFp16, Layout::kTn};
  CHECK(tensor_operation(gpu, off, config).operand_bytes ==
        operation.operand_bytes + 128 * 128 / 8);
  t.warpgroups_m = 2;  // twice as many reads of B
  t.warpgroups_n = 1;
  operation = tensor_operation(gpu, kProblem, config);
  CHECK(operation.operand_bytes == 32 * (64 + 4 * 128) + 256 * 64 / 4);
  CHECK(operation.operands == Cycles{176});
  CHECK(operation.interval.value == Approx(std::cbrt(std::pow(128, 3) + std::pow(176, 3))));
  CHECK(!operation.copies_exposed);  // ldmatrix of 144 cycles hide them
  t.block_n = 64;
  t.block_m = 64;
  t.warpgroups_m = 1;  // one warp per scheduler: 32 and (256 * 32 / 2 + 32 * (64 + 256)) / 128
  operation = tensor_operation(gpu, kProblem, config);
  CHECK(operation.interval.value == Approx(std::hypot(64, 112)));
}

}  // namespace tilecast
