#include "model/gemm/triton/triton_time.h"

#include <cmath>
#include <random>

#include "model/gemm/triton/example_costs.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

TritonTime triton_time_of(const GpuSpec& gpu, const GemmProblem& problem,
                          const TritonKernel& kernel) {
  return triton_time({gpu, problem, Regime::kBurst, Inputs::kNormal}, kernel,
                     TritonCosts::of(kExampleTritonCosts));
}

TEST_CASE("A Triton kernel that exceeds shared memory by one byte has an infinite time") {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kBf16, Layout::kTn};
  // 3 x 128 x (128 + 128) x 2 = 196608 bytes fit; 4 stages need 262144, more than 232448.
  CHECK(std::isfinite(triton_time_of(gpu, problem, {128, 128, 128, 3, 4}).time.value));
  CHECK(std::isinf(triton_time_of(gpu, problem, {128, 128, 128, 4, 4}).time.value));
  gpu.sm.shared_memory_per_cta = {196608};
  CHECK(std::isfinite(triton_time_of(gpu, problem, {128, 128, 128, 3, 4}).time.value));
  gpu.sm.shared_memory_per_cta = {196607};
  CHECK(std::isinf(triton_time_of(gpu, problem, {128, 128, 128, 3, 4}).time.value));
}

TEST_CASE("No random Triton kernel is forecast below its lower bound") {
  std::mt19937 random(daily_seed("Triton kernels"));
  const auto power = [&](int least, int most) {
    return 1 << std::uniform_int_distribution<int>(least, most)(random);
  };
  const auto side = [&] {
    return static_cast<i64>(std::exp2(std::uniform_real_distribution<double>(0, 15)(random)));
  };
  constexpr ElementType kTypes[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3};
  for (int i = 0; i < 3000; ++i) {
    const GemmProblem problem{{side(), side(), side()},
                              kTypes[i % 3],
                              i % 3 == 2 ? Layout::kTn : static_cast<Layout>(i % 4)};
    const TritonKernel kernel{power(4, 8), power(3, 8), power(4, 8), i % 6 + 1,  power(0, 4),
                              power(0, 4), power(0, 3), i % 5 == 0,  i % 2 == 0, i % 7 == 0};
    const TritonTime found = triton_time_of(calibrated_h200(), problem, kernel);
    INFO(i << " " << problem.shape.m << " " << problem.shape.n << " " << problem.shape.k);
    CHECK(found.time >= found.least);
  }
}

TEST_CASE(
    "Triton's kernels are modelled only for GPUs with wgmma or mma.sync, with TMA on Hopper only") {
  const GpuSpec b200 = load_gpu("b200", false).spec, a100 = load_gpu("a100_sxm80", false).spec;
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kBf16, Layout::kTn};
  CHECK_THROWS_WITH(triton_time_of(b200, problem, {128, 128, 64, 3, 4}),
                    "b200: Triton's kernels are modelled only for GPUs with wgmma or mma.sync");
  CHECK_THROWS_WITH(
      triton_time_of(
          a100, problem,
          {.block_m = 128, .block_n = 128, .block_k = 64, .stages = 3, .warps = 4, .tma = true}),
      "a100_sxm80: Triton's kernels with TMA are modelled only for Hopper");
  const TritonTime found = triton_time_of(a100, problem, {128, 128, 64, 3, 4});
  CHECK(found.time > found.least);
}

}  // namespace
}  // namespace tilecast
