// Tests fp8 in legality and prediction, compared with the 16-bit GEMM of half the K.

#include <string>

#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

constexpr GemmProblem kE4m3{{1000, 2048, 4096}, ElementType::kE4m3, Layout::kTn};
constexpr GemmProblem kFp16{{1000, 2048, 2048}, ElementType::kFp16, Layout::kTn};

/// A GPU on which two fp8 FLOPs take as much energy as one fp16 FLOP, without the learned
/// correction, which distinguishes fp8.
GpuSpec equal_energies() {
  GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  gpu.learned = nullptr;
  gpu.power->bf16_flop = 1;
  return gpu;
}

TEST_CASE(
    "Uncorrected, a ranking of fp8 equals that of 16 bits with half the K at twice the TFLOPS") {
  const GpuSpec gpu = equal_energies();
  for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
    const auto rank = [&](const GemmProblem& problem) {
      return rank_candidates(gpu, problem, {}, Regime::kBurst, Inputs::kNormal, 5,
                             {.method = method});
    };
    const Ranking fp8 = rank(kE4m3), fp16 = rank(kFp16);
    REQUIRE(fp8.predictions.size() == fp16.predictions.size());
    for (std::size_t i = 0; i < fp8.predictions.size(); ++i) {
      const Prediction &p = fp8.predictions[i], &q = fp16.predictions[i];
      CHECK(p.time.value == q.time.value);
      CHECK(p.cycles.value == q.cycles.value);
      CHECK(p.tflops == Approx(2 * q.tflops));
      KernelConfig twice_the_k = std::get<KernelConfig>(q.config);
      twice_the_k.tiling.block_k *= 2;
      CHECK(std::get<KernelConfig>(p.config) == twice_the_k);
    }
  }
}

TEST_CASE("Less energy per FLOP gives a higher clock if power-limited") {
  GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  constexpr GemmProblem kLarge{{8192, 8192, 8192}, ElementType::kE4m3, Layout::kTn};
  const KernelConfig config = gemm_config("ws 128x256x128 s4 w2x1 c1x1 o1 i1 e2 m16");
  const auto clock = [&](double bf16_flop) {
    gpu.power->bf16_flop = bf16_flop;
    return predict_config(gpu, kLarge, config, Regime::kBurst, Inputs::kNormal, Method::kAnalytic)
        .sm_clock;
  };
  CHECK(clock(0.8) > clock(1));
}

TEST_CASE("The refusal of a K block for fp8 lists the supported ones") {
  const auto reason = [&](const GemmProblem& problem, const std::string& k) {
    const KernelConfig config = gemm_config(
        "pipelined:tile=128x128x" + k +
        ",stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,raster=grouped_m,group=8");
    return why_not_legal(h200(), problem, config);
  };
  CHECK(reason(kE4m3, "192") == "a K block must be 64 or a multiple of 128 elements of e4m3");
  CHECK(reason(kFp16, "96") == "a K block must be 32 or a multiple of 64 elements of fp16");
}

TEST_CASE("An fp8 tile has whole swizzle rows of K: at least 64 elements") {
  const auto check = [&](const std::string& k, const GemmProblem& problem) {
    return check_legal(h200(), problem,
                       gemm_config("pipelined:tile=128x128x" + k +
                                   ",stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
                                   "raster=grouped_m,group=8"));
  };
  CHECK(check("64", kE4m3) == Refusal::kNone);
  CHECK(check("256", kE4m3) == Refusal::kNone);
  CHECK(check("256", kFp16) == Refusal::kSharedMemory);
  CHECK(check("32", kE4m3) == Refusal::kWgmmaShape);
  CHECK(check("32", kFp16) == Refusal::kNone);
  CHECK(check("65", kE4m3) == Refusal::kWgmmaShape);
}

GemmProblem scaled(OutputStep scales, GemmShape shape = kE4m3.shape) {
  return {shape, ElementType::kE4m3, Layout::kTn, {scales}};
}

TEST_CASE(
    "Block scales need a warp-specialized schedule, K blocks of 128 and registers for the partial "
    "sums") {
  const auto check = [&](const std::string& text) {
    return check_legal(h200(), scaled(step<ScaleBlock>()), gemm_config(text));
  };
  const auto specialized = [&](const std::string& tile, const std::string& inflight = "0",
                               const std::string& store = "") {
    return check("warp_specialized:tile=" + tile + ",cluster=1x1,ctas=1,inflight=" + inflight +
                 ",c_slots=1,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided" +
                 store);
  };
  CHECK(specialized("128x128x128,stages=4,warpgroups=2x1") == Refusal::kNone);
  CHECK(specialized("128x128x256,stages=2,warpgroups=2x1") == Refusal::kSchedule);
  CHECK(specialized("128x128x64,stages=4,warpgroups=2x1") == Refusal::kSchedule);
  CHECK(specialized("128x128x128,stages=4,warpgroups=2x1", "1") == Refusal::kSchedule);
  CHECK(specialized("128x128x128,stages=2,warpgroups=2x1") == Refusal::kNone);
  CHECK(specialized("128x128x128,stages=1,warpgroups=2x1") == Refusal::kSchedule);
  CHECK(specialized("64x272x128,stages=4,warpgroups=1x1") == Refusal::kSchedule);
  CHECK(specialized("128x128x128,stages=4,warpgroups=2x1", "0", ",store=deferred") ==
        Refusal::kSchedule);
  CHECK(check("pi 128x128x128 s4 w2x1 c1x1 o1 i0 e1 m8") == Refusal::kSchedule);
  // 128 of the 232 registers hold the tile's accumulators and 64 those of a K block; with 256
  // columns both take 128.
  CHECK(specialized("256x128x128,stages=4,warpgroups=2x1") == Refusal::kNone);
  CHECK(specialized("128x256x128,stages=4,warpgroups=1x2") == Refusal::kNone);
  CHECK(specialized("128x256x128,stages=4,warpgroups=2x1") == Refusal::kRegisters);
  CHECK(specialized("128x192x128,stages=4,warpgroups=2x1") == Refusal::kNone);
  CHECK(specialized("128x184x128,stages=4,warpgroups=2x1") == Refusal::kRegisters);
}

TEST_CASE("fp32 promotion works in every schedule with a producer warpgroup, K split or not") {
  GemmProblem exact = kE4m3;
  exact.accumulate = Accumulate::kExact;
  const auto check = [&](const GemmProblem& problem, const std::string& text) {
    return check_legal(h200(), problem, gemm_config(text));
  };
  const std::string cooperative = "ws 128x128x128 s4 w2x1 c1x1 o1 i0 e1 m8";
  const std::string split = "sp 128x128x128 s4 w2x1 c1x1 o1 i0 e1 m8 k2t";
  const std::string pipelined = "pi 128x128x128 s4 w2x1 c1x1 o1 i0 e1 m8";
  GemmProblem few = exact;
  few.shape.m = 128;
  for (const OutputStep scales : {OutputStep{}, step<ScaleTensor>(), step<ScaleRow>()}) {
    few.epilogue = exact.epilogue = {scales};
    CHECK(why_not_solvable(h200(), exact).empty());
    CHECK(check(exact, cooperative) == Refusal::kNone);
    CHECK(check(few, split) == Refusal::kNone);
    CHECK(check(exact, pipelined) == Refusal::kSchedule);
  }
  few.epilogue.add(step<ScaleBlock>());  // a tile's first K block has the first scales
  CHECK(check(few, split) == Refusal::kSchedule);
  CHECK(check(kE4m3, pipelined) == Refusal::kNone);
  // Exact accumulation holds two sets of sums: 208 columns take 208 of a thread's 232 registers.
  // That is legal without scales; if K is split, at most 160 columns are.
  const auto wide = [&](const std::string& config, const std::string& columns) {
    std::string text = config;
    return text.replace(text.find("128x128x128"), 11, "128x" + columns + "x128");
  };
  exact.epilogue = few.epilogue = {};
  CHECK(check(exact, wide(cooperative, "208")) == Refusal::kNone);
  CHECK(check(exact, wide(cooperative, "216")) == Refusal::kRegisters);
  CHECK(check(few, wide(split, "160")) == Refusal::kNone);
  CHECK(check(few, wide(split, "168")) == Refusal::kRegisters);
  exact.batch.products = 4;
  CHECK(why_not_solvable(h200(), exact).empty());
  CHECK(why_not_legal(h200(), exact, gemm_config(pipelined)) ==
        "exact accumulation requires a producer warpgroup, K blocks of 128, two "
        "stages or more, at most 256 columns, inflight=0 and no store=deferred");
}

TEST_CASE("Promotion is exposed with one warpgroup; with two it overlaps the other's wgmmas") {
  const auto more_cycles = [&](i32 rows, const std::string& warpgroups, Method method,
                               const GemmProblem& like) {
    const KernelConfig config = gemm_config(
        "warp_specialized:tile=" + std::to_string(rows) +
        "x128x128,stages=4,warpgroups=" + warpgroups +
        ",cluster=1x1,ctas=1,inflight=0,c_slots=1,producer=40,grid=resident,raster=grouped_m,"
        "group=8,walk=strided");
    GemmProblem promoted = like;
    promoted.shape = {rows * 132, 128, 8192};  // one tile per SM
    GemmProblem fast = promoted;
    fast.epilogue = {};
    fast.accumulate = Accumulate::kFast;
    const auto cycles = [&](const GemmProblem& problem) {
      // The clock is fixed, because at a lower one loads take fewer cycles.
      return predict_config(h200(), problem, config, Regime::kBurst, Inputs::kZeros, method)
          .cycles.value;
    };
    return cycles(promoted) - cycles(fast);
  };
  GemmProblem exact = kE4m3;
  exact.accumulate = Accumulate::kExact;
  for (const auto& [method, like] : {std::pair{Method::kAnalytic, scaled(step<ScaleBlock>())},
                                     {Method::kAnalytic, exact},
                                     {Method::kSimulated, scaled(step<ScaleBlock>())},
                                     {Method::kSimulated, exact}}) {
    // 128 x 128 accumulators in each of 64 K blocks, at 128 per cycle, take 8192 cycles of a
    // warpgroup; a second wgmma row adds its wait. Loads that are waited for anyway hide some of
    // it.
    const double alone = more_cycles(128, "1x1", method, like);
    const double of_two = more_cycles(256, "2x1", method, like);
    CHECK(alone > 0);
    CHECK(alone < 8192 * 3);
    // A K block has four rows of wgmmas, each 20 cycles longer while another warpgroup's
    // multiply-adds run, unless loads take longer.
    CHECK(of_two > -8192 / 2);
    CHECK(of_two < 64 * 4 * 20 + 8192 / 2);
  }
}

}  // namespace
}  // namespace tilecast
