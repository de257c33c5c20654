#include "model/analytic/triton_form.h"

#include <string>

#include "model/base/error.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

const std::map<std::string, double> kNamed{
    {"l2_share", 2},  {"row", 1},         {"intake", 64},          {"mma_rate", 2560},
    {"copy", 8},      {"turn_wgmma", 40}, {"two_warpgroups", 100}, {"turn_mma", 100},
    {"mma_step", 12}, {"copy_step", 8},   {"latency", 1000},       {"dram_latency", 400},
    {"start", 300},   {"accumulator", 2}, {"hidden", 0.9},         {"dram", 0.7},
    {"spilled", 9},   {"launch", 5e-6}};

GemmProblem triton_problem(i64 m, i64 n, i64 k, ElementType type = ElementType::kBf16,
                           Layout layout = Layout::kTn) {
  return {{m, n, k}, type, layout};
}

double allotted(const GemmProblem& of, const TritonKernel& kernel) {
  return triton_shared_memory(of, kernel).value;
}

TEST_CASE("Triton multiplies by wgmma from 64 rows and a warpgroup on") {
  CHECK(uses_wgmma({64, 16, 64, 4, 4}));
  CHECK(uses_wgmma({128, 128, 64, 4, 8}));
  CHECK_FALSE(uses_wgmma({32, 128, 64, 4, 4}));
  CHECK_FALSE(uses_wgmma({128, 128, 64, 4, 2}));
}

TEST_CASE("Triton allots a buffer for each stage of wgmma and one less of mma.sync") {
  const GemmProblem cube = triton_problem(4096, 4096, 4096);
  // As the compiler says (validate/data/h200_sxm/triton/pointer_tiles.csv):
  // 3 x 64 x (16 + 128) x 2, 3 x 64 x (32 + 256) x 2, 4 x 64 x (64 + 16) x 2, 4 x 64 x (128 + 256)
  // x 2.
  CHECK(allotted(cube, {16, 128, 64, 4, 4}) == 55296);
  CHECK(allotted(cube, {32, 256, 64, 4, 8}) == 110592);
  CHECK(allotted(cube, {64, 16, 64, 4, 4}) == 40960);
  CHECK(allotted(cube, {128, 256, 64, 4, 8}) == 196608);
  // A byte for each element of fp8; a stage of mma.sync has its one buffer too.
  CHECK(allotted(triton_problem(4096, 4096, 4096, ElementType::kE4m3), {128, 128, 128, 4, 4}) ==
        131072);
  CHECK(allotted(cube, {16, 128, 64, 1, 4}) == allotted(cube, {16, 128, 64, 2, 4}));
}

TEST_CASE("An operand in pieces of two bytes cannot be loaded ahead and has one buffer") {
  // Rows of 4095 elements begin at any even byte; of 4094 at any fourth. A of M x K with K = 4095,
  // B of K x N with N = 4096: 4 buffers of B alone.
  CHECK(allotted(triton_problem(4096, 4096, 4095, ElementType::kBf16, Layout::kNn),
                 {64, 128, 64, 4, 4}) == 64 * 2 * (64 + 4 * 128));
  CHECK(allotted(triton_problem(4096, 4096, 4094), {64, 128, 64, 4, 4}) == 64 * 2 * 4 * (64 + 128));
}

TEST_CASE("Bounds of a Triton kernel, worked by hand") {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  // 2 x 1000 x 1000 x 1024 FLOPs by 132 x 4096 a cycle; 8 x 8 tiles of 128x128 read 16 x 1000
  // vectors of 1024 elements of 2 bytes at 132 x 64 a cycle; 2 x 1000 x 1024 + 1000 x 1000 elements
  // at 4.8 TB/s.
  const HardBounds bounds = triton_bounds(gpu, triton_problem(1000, 1000, 1024),
                                          {128, 128, 64, 4, 4}, TritonCosts::of(kNamed));
  CHECK(bounds.tensor.value == Approx(3787.88).epsilon(1e-5));
  CHECK(bounds.intake.value == Approx(3878.79).epsilon(1e-5));
  CHECK(bounds.dram.value == Approx(1.27e-6).epsilon(1e-6));
}

TEST_CASE("Costs are taken by all of their names and no others") {
  CHECK(TritonCosts::of(kNamed).row.value == 1);
  CHECK(TritonCosts::of(kNamed).launch.value == 5e-6);
  auto named = kNamed;
  named.erase("row");
  CHECK_THROWS_WITH(TritonCosts::of(named), "costs: row: missing");
  named["rwo"] = 1;
  named["row"] = 0;
  CHECK_THROWS_WITH(TritonCosts::of(named), "costs: row: expected a number above 0");
  named["row"] = 1;
  CHECK_THROWS_WITH(TritonCosts::of(named), Catch::Matchers::StartsWith("costs: rwo: unknown"));
}

TEST_CASE("A tile that only takes operands in takes as long as its bytes") {
  // Without latency, rows and turns: 132 tiles of 64x128 on as many SMs, K of 65536 in 1024 blocks
  // of 64 x (64 + 128) x 2 bytes at 16 B a cycle, 1536 cycles each; wgmmas take 4 x 64 cycles,
  // which eighth powers do not see. 1024 x 1536 = 1572864.
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  auto named = kNamed;
  named["intake"] = 16;
  for (const char* name : {"row", "copy", "turn_wgmma", "copy_step", "latency", "dram_latency",
                           "start", "accumulator", "launch"}) {
    named[name] = 1e-9;
  }
  const TritonCosts costs = TritonCosts::of(named);
  const GemmProblem one_wave = triton_problem(64 * 12, 128 * 11, 65536);
  const TritonKernel kernel{64, 128, 64, 4, 4};
  const TritonWork work = triton_work(gpu, one_wave, kernel, costs);
  CHECK(work.tiles_per_sm == 1);
  CHECK(work.k_blocks == 1024);
  CHECK(work.tensor.value == 256);
  CHECK(triton_cycles(gpu, kernel, costs, work, Hertz{1.8e9}).value ==
        Approx(1572864).epsilon(0.01));
}

TEST_CASE("What neighbours of a wave share is asked of L2 once for some of them") {
  // Groups of 8 rows: 8 neighbours ask for the same columns of B, spread over 8 GPCs of which
  // 8 (1 - (7/8)^8) = 5.25 are asked by at least one: 1.524. No two neighbours share rows of A.
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const TritonCosts costs = TritonCosts::of(kNamed);
  const TritonWork grouped =
      triton_work(gpu, triton_problem(4096, 4096, 4096), {128, 128, 64, 4, 4}, costs);
  CHECK(grouped.b_merged == Approx(1.524).epsilon(1e-3));
  CHECK(grouped.a_merged == Approx(1));
  // One row of tiles: all share it.
  const TritonWork row =
      triton_work(gpu, triton_problem(64, 4096, 4096), {128, 128, 64, 4, 4}, costs);
  CHECK(row.a_merged == Approx(1.524).epsilon(1e-3));
  CHECK(row.b_merged == Approx(1));
}

}  // namespace
}  // namespace tilecast
