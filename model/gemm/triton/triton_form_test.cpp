#include "model/gemm/triton/triton_form.h"

#include "model/gemm/problem/epilogue.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/triton/example_costs.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

GemmProblem triton_problem(i64 m, i64 n, i64 k, ElementType type = ElementType::kBf16,
                           Layout layout = Layout::kTn) {
  return {{m, n, k}, type, layout};
}

double allotted(const GemmProblem& of, const TritonKernel& kernel) {
  return triton_shared_memory(h200(), of, kernel).value;
}

TEST_CASE("Triton multiplies by wgmma for at least 64 rows and whole warpgroups") {
  CHECK(uses_wgmma(h200(), {64, 16, 64, 4, 4}));
  CHECK(uses_wgmma(h200(), {128, 128, 64, 4, 8}));
  CHECK_FALSE(uses_wgmma(h200(), {32, 128, 64, 4, 4}));
  CHECK_FALSE(uses_wgmma(h200(), {128, 128, 64, 4, 2}));
}

TEST_CASE("Before Hopper Triton multiplies all tiles by mma.sync, at most at the GPU's rate") {
  const GpuSpec a10 = load_gpu("a10", false).spec;
  const TritonKernel kernel{128, 128, 64, 4, 4};
  const GemmProblem cube = triton_problem(4096, 4096, 4096);
  CHECK_FALSE(uses_wgmma(a10, kernel));
  CHECK(triton_shared_memory(a10, cube, kernel).value == 3 * 64 * 2 * (128 + 128));
  // 2 x 128 x 128 x 64 FLOPs of a K block at 1024 per cycle; the example's rate is higher.
  CHECK(triton_work(a10, cube, kernel, TritonCosts::of(kExampleTritonCosts)).tensor.value == 2048);
}

TEST_CASE("Triton allocates a buffer per stage for wgmma and one less for mma.sync") {
  const GemmProblem cube = triton_problem(4096, 4096, 4096);
  // The compiler reports (validate/data/h200_sxm/triton/pointer_tiles.csv): 3 x 64 x (16 + 128) x
  // 2, 3 x 64 x (32 + 256) x 2, 4 x 64 x (64 + 16) x 2, 4 x 64 x (128 + 256) x 2.
  CHECK(allotted(cube, {16, 128, 64, 4, 4}) == 55296);
  CHECK(allotted(cube, {32, 256, 64, 4, 8}) == 110592);
  CHECK(allotted(cube, {64, 16, 64, 4, 4}) == 40960);
  CHECK(allotted(cube, {128, 256, 64, 4, 8}) == 196608);
  // fp8 has one byte per element. mma.sync has one buffer with one stage and with two.
  CHECK(allotted(triton_problem(4096, 4096, 4096, ElementType::kE4m3), {128, 128, 128, 4, 4}) ==
        131072);
  CHECK(allotted(cube, {16, 128, 64, 1, 4}) == allotted(cube, {16, 128, 64, 2, 4}));
}

TEST_CASE("An operand with two-byte alignment cannot be loaded ahead and has one buffer") {
  // Rows of 4095 elements start on 2-byte boundaries, rows of 4094 on 4-byte ones. With A of M x K,
  // K = 4095, and B of K x N, N = 4096, only B has 4 buffers.
  CHECK(allotted(triton_problem(4096, 4096, 4095, ElementType::kBf16, Layout::kNn),
                 {64, 128, 64, 4, 4}) == 64 * 2 * (64 + 4 * 128));
  CHECK(allotted(triton_problem(4096, 4096, 4094), {64, 128, 64, 4, 4}) == 64 * 2 * 4 * (64 + 128));
}

TEST_CASE("A kernel compiled for one K block has no ring, and one buffer per operand") {
  // Triton 3.6 reports 24576 bytes for K = 64 and 128 and 122880 for K = 256, with four warps.
  TritonKernel kernel{64, 32, 128, 5, 4};
  kernel.constant_k = true;
  CHECK(allotted(triton_problem(4096, 256, 64), kernel) == 24576);
  CHECK(allotted(triton_problem(4096, 256, 128), kernel) == 24576);
  CHECK(allotted(triton_problem(4096, 256, 256), kernel) == 122880);
  kernel.constant_k = false;
  CHECK(allotted(triton_problem(4096, 256, 128), kernel) == 122880);
  // mma.sync.
  CHECK(allotted(triton_problem(4096, 64, 16),
                 {16, 32, 16, 3, 2, 8, 1, false, false, false, true}) == 1536);
}

TEST_CASE("A K block that is not loaded ahead goes through registers, which limits CTAs") {
  TritonCosts costs = TritonCosts::of(kExampleTritonCosts);
  costs.registers = 19;
  const auto ctas = [&](const TritonKernel& kernel) {
    return triton_work(h200(), triton_problem(40960, 4096, 4096), kernel, costs).ctas;
  };
  // Triton 3.6: 255, 168, 232 and 168 registers; with two stages or more the loads need none.
  CHECK(ctas({128, 128, 128, 1, 4}) == 2);
  CHECK(ctas({128, 128, 128, 1, 8}) == 1);
  CHECK(ctas({128, 128, 64, 1, 4}) == 2);
  CHECK(ctas({64, 128, 64, 1, 4}) == 3);
  CHECK(ctas({128, 128, 32, 2, 8}) == 2);
}

TEST_CASE("DRAM serves the first loads of all tiles in a burst") {
  // Two of four K blocks are loaded before the first MMA: half of the time of DRAM's reads is added
  // for one CTA per SM, times `fill`.
  TritonCosts costs = TritonCosts::of(kExampleTritonCosts);
  const TritonKernel kernel{128, 256, 64, 3, 8};
  const TritonWork work = triton_work(h200(), triton_problem(128 * 132, 256, 256), kernel, costs);
  REQUIRE(work.ctas == 1);
  CHECK(work.first_loads == 0.5);
  const auto cycles = [&](double fill) {
    costs.fill = fill;
    TritonWork of_sm = work;
    of_sm.dram_write = {};
    return triton_cycles(h200(), kernel, costs, of_sm, Hertz{1e9}).value;
  };
  const double read =
      work.dram_read.value * work.dram_cost / (h200().dram->read_rate.value * costs.dram) * 1e9;
  const double added = cycles(0.5) - cycles(1e-9);
  CHECK(added < 0.5 * 0.5 * read);
  CHECK(added > 0.8 * 0.5 * 0.5 * read);
}

TEST_CASE("Lower bounds of a Triton kernel follow from its FLOPs and bytes") {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  // 2 x 1000 x 1000 x 1024 FLOPs at 132 x 4096 per cycle; 8 x 8 tiles of 128x128 read 16 x 1000
  // vectors of 1024 elements of 2 bytes at 132 x 64 per cycle; 2 x 1000 x 1024 + 1000 x 1000
  // elements at the measured 4.584 TB/s, or the datasheet's 4.8.
  const HardBounds bounds =
      triton_bounds(gpu, triton_problem(1000, 1000, 1024), {128, 128, 64, 4, 4},
                    TritonCosts::of(kExampleTritonCosts));
  CHECK(bounds.tensor.value == Approx(3787.88).epsilon(1e-5));
  CHECK(bounds.intake.value == Approx(3878.79).epsilon(1e-5));
  CHECK(bounds.dram.value == Approx(1.32984e-6).epsilon(1e-5));
  CHECK(bounds.dram_peak.value == Approx(1.27e-6).epsilon(1e-6));
}

TEST_CASE("Unknown, missing and zero costs are errors") {
  CHECK(TritonCosts::of(kExampleTritonCosts).row.value == 1);
  CHECK(TritonCosts::of(kExampleTritonCosts).launch.value == 5e-6);
  auto named = kExampleTritonCosts;
  named.erase("row");
  CHECK_THROWS_WITH(TritonCosts::of(named), "costs: row: missing");
  named["rwo"] = 1;
  named["row"] = 0;
  CHECK_THROWS_WITH(TritonCosts::of(named), "costs: row: expected a number above 0");
  named["row"] = 1;
  CHECK_THROWS_WITH(TritonCosts::of(named), Catch::Matchers::StartsWith("costs: rwo: unknown"));
}

TEST_CASE("A tile limited by SM fill takes as long as its bytes") {
  // Without latency, row costs and loop overhead: 132 tiles of 64x128 on as many SMs. K = 65536 has
  // 1024 blocks of 64 x (64 + 128) x 2 bytes, each 1536 cycles at 16 B per cycle. Their wgmmas take
  // 4 x 64 cycles, negligible at exponent 8. 1024 x 1536 = 1572864.
  auto named = kExampleTritonCosts;
  named["intake"] = 16;
  for (const char* name : {"row", "copy", "turn_wgmma", "copy_step", "latency", "dram_latency",
                           "start", "accumulator", "launch"}) {
    named[name] = 1e-9;
  }
  const TritonCosts costs = TritonCosts::of(named);
  const GemmProblem one_wave = triton_problem(64 * 12, 128 * 11, 65536);
  const TritonKernel kernel{64, 128, 64, 4, 4};
  const TritonWork work = triton_work(h200(), one_wave, kernel, costs);
  CHECK(work.tiles_per_sm == 1);
  CHECK(work.k_blocks == 1024);
  CHECK(work.tensor.value == 256);
  CHECK(triton_cycles(h200(), kernel, costs, work, Hertz{1.8e9}).value ==
        Approx(1572864).epsilon(0.01));
}

TEST_CASE("L2 serves requests of neighbouring CTAs for the same operand as one") {
  // Groups of 8 rows: 8 neighbours load the same columns of B. Spread over 8 GPCs at random, they
  // occupy 8 (1 - (7/8)^8) = 5.25 of them, and 8 / 5.25 = 1.524. No two neighbours share rows of A.
  const TritonCosts costs = TritonCosts::of(kExampleTritonCosts);
  const TritonWork grouped =
      triton_work(h200(), triton_problem(4096, 4096, 4096), {128, 128, 64, 4, 4}, costs);
  CHECK(grouped.b_merged == Approx(1.524).epsilon(1e-3));
  CHECK(grouped.a_merged == Approx(1));
  // In one row of tiles, all of them share it.
  const TritonWork row =
      triton_work(h200(), triton_problem(64, 4096, 4096), {128, 128, 64, 4, 4}, costs);
  CHECK(row.a_merged == Approx(1.524).epsilon(1e-3));
  CHECK(row.b_merged == Approx(1));
}

TEST_CASE("Groups and GEMMs of a batch have separate tiles and matrices") {
  const TritonCosts costs = TritonCosts::of(kExampleTritonCosts);
  const TritonKernel kernel{16, 128, 64, 4, 4};
  // 17 rows are 2 tiles of 16, 3 rows are 1, and an empty group has none: 3 x 8 tiles of 128
  // columns. One wave reads A and both matrices of B once.
  const TritonWork groups =
      triton_work(h200(), in_groups(triton_problem(0, 1024, 512), {17, 0, 3}), kernel, costs);
  CHECK(groups.tiles_per_sm == 1);
  CHECK(groups.busy == Approx(24.0 / 132));
  CHECK(groups.dram_read.value == Approx(2 * (2.0 * 1024 * 512 + 20 * 512)));
  CHECK(groups.out_of_bounds.value == Approx(2.0 * 1024 * 512 * (3 * 16 - 20)));
  // Only the two tiles of one group share columns of B.
  CHECK(groups.b_merged < 1.1);
  GemmProblem batch = triton_problem(32, 1024, 512);
  batch.batch.products = 5;
  const TritonWork products = triton_work(h200(), batch, kernel, costs);
  CHECK(products.busy == Approx(80.0 / 132));
  CHECK(products.dram_read.value == Approx(5 * 2.0 * (1024 * 512 + 32 * 512)));
}

TEST_CASE("Block scales promote every accumulator, and mma.sync converts fp8 to fp16") {
  const TritonCosts costs = TritonCosts::of(kExampleTritonCosts);
  GemmProblem scaled = triton_problem(4096, 4096, 4096, ElementType::kE4m3);
  const GemmProblem plain = scaled;
  scaled.epilogue = parse_epilogue("scale_block");
  const TritonKernel wgmma{128, 128, 128, 3, 8}, mma{16, 128, 128, 3, 4};
  // 128 x 128 accumulators are 512 warp registers.
  CHECK(triton_work(h200(), scaled, wgmma, costs).promoted == 512);
  CHECK(triton_work(h200(), plain, wgmma, costs).promoted == 0);
  const auto cycles = [&](const GemmProblem& problem, const TritonKernel& kernel) {
    const TritonWork work = triton_work(h200(), problem, kernel, costs);
    return triton_cycles(h200(), kernel, costs, work, h200().clock->max).value;
  };
  CHECK(cycles(scaled, wgmma) > 1.2 * cycles(plain, wgmma));
  // Each of 4 warps reads 16 rows and 32 columns of 128 elements, 64 per conversion.
  CHECK(triton_work(h200(), plain, mma, costs).converted == 4 * (16 + 32) * 128 / 64);
  CHECK(triton_work(h200(), plain, wgmma, costs).converted == 0);
}

TEST_CASE("Registers of block-scaled kernels limit the CTAs of an SM as in compiled kernels") {
  GemmProblem scaled = triton_problem(4096, 4096, 4096, ElementType::kE4m3);
  scaled.epilogue = parse_epilogue("scale_block");
  TritonCosts costs = TritonCosts::of(kExampleTritonCosts);
  costs.registers = 24;
  const auto ctas = [&](const TritonKernel& kernel) {
    return triton_work(h200(), scaled, kernel, costs).ctas;
  };
  // fused_moe of python/tests/moe_config_gpu.py by Triton 3.6: 158, 237, 80 and 96 registers.
  CHECK(ctas({64, 128, 128, 3, 8}) == 1);
  CHECK(ctas({64, 128, 128, 3, 4}) == 2);
  CHECK(ctas({64, 64, 128, 3, 8}) == 3);
  CHECK(ctas({128, 32, 128, 3, 8}) == 2);
}

}  // namespace
}  // namespace tilecast
