// Simulates kernels with long K loops at two shorter K, and compares them with whole simulations.
#include "model/gemm/sim/steady_k.h"

#include <algorithm>
#include <cmath>

#include "model/base/math.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/sim/example_gpu.h"
#include "model/gemm/sim/simulate.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

using namespace tilecast;

namespace {

// Tolerated error of shortening K: the mean over the cases, and the worst one.
constexpr double kMeanCycles = 0.018, kWorstCycles = 0.08;

struct Case {
  GemmShape shape;
  const char* config;
  double dram_read;  // tolerated error of DRAM reads
};

// Cases: one wave and many, a single CTA on the chip, K split in all ways, a partial last K block.
// The longer K is, the further CTAs drift apart and reread from DRAM what L2 has evicted: more than
// twice as much with two waves and a long K.
constexpr Case kCases[] = {
    {{8192, 8192, 65536}, "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8", 0.1},
    {{2048, 2048, 524288 + 40}, "pp 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m8", 0.6},
    {{128, 128, 64'000'000}, "pi 128x128x64 s4 w1x1 c1x1 o1 i1 e0 m8", 0.01},
    {{256, 256, 20'000'000}, "sp 128x128x64 s4 w2x1 c1x1 o1 i1 e2 m8 k33a", 0.01},
    {{1536, 1536, 524288}, "sk 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k8+t", 0.03},
};

Residency residency_of(const GpuSpec& gpu, const KernelConfig& config) {
  return {resident_ctas(gpu, config), resident_workers(gpu, config)};
}

}  // namespace

TEST_CASE("Two shorter kernels predict a long one's cycles and bytes within a stated error") {
  double mean = 0, worst = 0;
  for (const Case& c : kCases) {
    CAPTURE(c.config);
    const KernelConfig config = gemm_config(c.config);
    const GemmProblem problem = fp16(c.shape.m, c.shape.n, c.shape.k);
    const auto simulate = [&](Waves waves) {
      return simulate_gemm(h200(), problem, config, residency_of(h200(), config), Hertz{1.5e9}, {},
                           waves);
    };
    const Simulated whole = simulate(Waves::kAll);
    const Simulated part = simulate(Waves::kSteadyLeftOut);
    CHECK(whole.simulated_part == 1);
    CHECK(part.simulated_part < 0.3);
    CHECK(part.events < whole.events / 2);
    CHECK(part.tiles == whole.tiles);
    CHECK(part.k_blocks == whole.k_blocks);
    CHECK(part.operand_reads.value == Approx(whole.operand_reads.value).epsilon(1e-9));
    CHECK(part.l2_to_sm.value == Approx(whole.l2_to_sm.value).epsilon(1e-9));
    CHECK(part.sums_read == whole.sums_read);
    CHECK(part.dram_write.value == bytes_of_c(problem));
    CHECK(part.dram_read.value == Approx(whole.dram_read.value).epsilon(c.dram_read));
    const double error = std::abs(part.cycles / whole.cycles - 1);
    CAPTURE(error);
    CHECK(error < kWorstCycles);
    worst = std::max(worst, error);
    mean += error / static_cast<double>(std::size(kCases));
  }
  CAPTURE(mean, worst);
  CHECK(mean < kMeanCycles);
}

TEST_CASE("A long K is shortened and keeps its remainder") {
  const KernelConfig config = gemm_config(kCases[2].config);
  // One tile takes 1.5 million steps: each K block is loaded once and multiplied by one warpgroup.
  const auto of = [&](i64 k) { return shorter_k(h200(), fp16(128, 128, k), config, 132); };
  CHECK_FALSE(of(64 * 750'000));
  const std::optional<ShorterK> two = of(64 * 750'001 + 40);
  REQUIRE(two);
  CHECK(two->shorter % 128 == (64 * 750'001 + 40) % 128);
  CHECK(two->longer % 128 == two->shorter % 128);
  CHECK(two->longer > two->shorter);
  CHECK(two->longer < 64 * 750'001 / 2);
}

TEST_CASE("No problem size makes a simulation exceed a stated number of steps") {
  const KernelConfig persistent = gemm_config(kCases[0].config);
  const auto size = [&](i64 m, i64 n, i64 k) {
    return simulation_size(h200(), fp16(m, n, k), persistent, 66);
  };
  for (const i64 side : {128, 4096, 65536, 1 << 20}) {
    for (const i64 k : {8, 4096, 1 << 20, 1 << 30}) {
      CAPTURE(side, k);
      CHECK(size(side, side, k).steps < 3e6);
      CHECK(is_small_enough(h200(), fp16(side, side, k), persistent, {1, 66}) ==
            (size(side, side, k).blocks <= 4e6));
    }
  }
}
