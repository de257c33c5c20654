#include "validate/compare/rotated_weights.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr L2Spec kL2{.capacity = {100e6}, .usable_fraction = 0.5};

/// A has 1 MB, B 8 MB and C 1 MB.
GemmProblem problem_of_10_mb() { return {{250, 2000, 2000}, ElementType::kBf16, Layout::kTn}; }

TEST_CASE("B is held while all copies fit the usable part of L2, and gone at twice that") {
  const GemmProblem problem = problem_of_10_mb();
  CHECK(missing_from_l2(kL2, problem, 6) == 0);                   // 2 + 48 of 50 MB
  CHECK(missing_from_l2(kL2, problem, 7) == Approx(0.8 * 0.16));  // 58 MB: 2 - 58/50 = 0.84 of B
  CHECK(missing_from_l2(kL2, problem, 12) == Approx(0.8 * 0.96));
  CHECK(missing_from_l2(kL2, problem, 13) == Approx(0.8));  // 106 MB; A and C are still held
  const L2Spec small{.capacity = {8e6}, .usable_fraction = 0.5};
  CHECK(missing_from_l2(small, problem, 1) == 1);  // 10 MB is more than twice 4
}

TEST_CASE("DRAM serves only the bytes that L2 no longer holds") {
  GpuSpec gpu = load_gpu("l40s", true).spec;
  gpu.l2 = kL2;
  const GpuSpec warm = with_rotated_weights(gpu, problem_of_10_mb(), 13);
  CHECK(warm.dram->read_rate.value == Approx(gpu.dram->read_rate.value / 0.8));
  CHECK(warm.dram->write_rate.value == Approx(gpu.dram->write_rate.value / 0.8));
  CHECK(warm.machine->dram_latency.value == Approx(gpu.machine->dram_latency.value * 0.8));
  CHECK(warm.power->per_dram_byte.value == Approx(gpu.power->per_dram_byte.value * 0.8));
  CHECK(warm.machine->l2_output.value == gpu.machine->l2_output.value);
  CHECK(with_rotated_weights(gpu, problem_of_10_mb(), 6).dram->read_rate.value < 1e18);  // finite
}

}  // namespace
}  // namespace tilecast
