#include "model/predict/roofline.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

/// A GPU with 4 SMs of 1000 operations per cycle at 1 GHz, and DRAM with 1 TB/s.
GpuSpec small_gpu() {
  GpuSpec gpu{};
  gpu.sm.count = 4;
  gpu.wgmma = WgmmaSpec{.flops_per_sm = FlopsPerCycle{1000}};
  gpu.clock = ClockSpec{.max = Hertz{1e9}};
  gpu.dram = DramSpec{.bandwidth = BytesPerSecond{1e12}};
  return gpu;
}

constexpr KernelConfig kConfig{.tiling = {.block_m = 100, .block_n = 100, .block_k = 64}};

TEST_CASE("A fifth tile on four SMs costs a second wave") {
  // One tile: 2 * 100 * 100 * 50 = 1e6 operations, 1000 cycles, 1 us.
  const GemmProblem four{{200, 200, 50}, ElementType::kFp16, Layout::kTn};
  const GemmProblem five{{500, 100, 50}, ElementType::kFp16, Layout::kTn};
  CHECK(roofline_time(small_gpu(), four, kConfig)->value == Approx(1e-6));
  CHECK(roofline_time(small_gpu(), five, kConfig)->value == Approx(2e-6));
}

TEST_CASE("An odd K of fp8 counts only the FLOPs of the problem") {
  // 2 * 100 * 100 * 49 operations at twice the rate take 490 ns.
  const GemmProblem odd{{100, 100, 49}, ElementType::kE4m3, Layout::kTn};
  CHECK(roofline_time(small_gpu(), odd, kConfig)->value == Approx(490e-9));
}

TEST_CASE("A thin problem takes the DRAM time of its operands") {
  GpuSpec gpu = small_gpu();
  gpu.dram->bandwidth = BytesPerSecond{1e9};
  // A, B and C have 100 * 50 + 50 * 100 + 100 * 100 = 20,000 elements; 40,000 bytes take 40 us.
  const GemmProblem problem{{100, 100, 50}, ElementType::kFp16, Layout::kTn};
  CHECK(roofline_time(gpu, problem, kConfig)->value == Approx(40e-6));
}

TEST_CASE("A memory-bound kernel takes its bytes over the DRAM bandwidth") {
  // A, B and C of 1000 x 250 fp32: 3 MB at 1 TB/s take 3 us.
  const StreamProblem problem{1000, 250, ElementType::kFp32};
  CHECK(roofline_time(small_gpu(), problem, StreamConfig{})->value == Approx(3e-6));
}

TEST_CASE("Without a tensor rate there is no roofline") {
  GpuSpec gpu = small_gpu();
  gpu.wgmma.reset();
  CHECK_FALSE(
      roofline_time(gpu, GemmProblem{{100, 100, 50}, ElementType::kFp16, Layout::kTn}, kConfig));
}

}  // namespace
}  // namespace tilecast
