// Batches compared with equivalent problems: a single product, or a taller one.
#include <random>
#include <string>

#include "model/gemm/menu/legality.h"
#include "tests/same_prediction.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

GemmProblem batch_of(Batch batch, GemmShape shape, ElementType dtype = ElementType::kFp16) {
  return {.shape = shape, .dtype = dtype, .layout = Layout::kTn, .batch = batch};
}

const char* const kConfigs[] = {
    "persistent:tile=128x128x64,stages=5,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=4,walk=strided",
    "ping_pong:tile=64x128x64,stages=6,cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_m,group=4,walk=chunked",
    "pipelined:tile=128x128x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=0,"
    "raster=hilbert,group=1",
    "stream_k:tile=128x128x64,stages=5,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,min_k_blocks=8,reduction=turnstile,raster=grouped_m,group=8"};

}  // namespace

TEST_CASE("A batch that shares B equals one taller product if M is a multiple of the tile") {
  // Six products of 512 rows and one of 3,072: the same tiles, panels and stores, in one order.
  check_same(batch_of({6, false, true}, {512, 1000, 512}), batch_of({}, {6 * 512, 1000, 512}),
             kConfigs);
}

TEST_CASE("A batch of one equals the single product, with or without shared operands") {
  check_same(batch_of({1, true, true}, {1000, 1000, 512}), batch_of({}, {1000, 1000, 512}),
             kConfigs);
}

TEST_CASE("A batch with separate B reads more from DRAM and takes no less time") {
  // Sixteen B of 1 MB each, compared with one.
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

TEST_CASE("A batch has the FLOPs and bytes of its products") {
  const GemmProblem one = batch_of({}, {300, 200, 128}), ten = batch_of({10}, {300, 200, 128});
  CHECK(tensor_flops(ten) == 10 * tensor_flops(one));
  CHECK(gemm_bytes(ten) == 10 * gemm_bytes(one));
  // A, 300 x 128, is counted once: nine times 76,800 bytes less.
  CHECK(gemm_bytes(batch_of({10, true}, {300, 200, 128})) == gemm_bytes(ten) - 9 * 76'800);
}

TEST_CASE("No prediction of a batch beats physics, and more products take more time") {
  std::mt19937_64 random(daily_seed("batches"));
  const auto draw = [&](i64 from, i64 to) {
    return std::uniform_int_distribution<i64>(from, to)(random);
  };
  for (int i = 0; i < 6; ++i) {
    const GemmShape shape{draw(1, 1500), draw(1, 150) * 8, draw(1, 100) * 16};
    const ElementType dtype = i % 3 == 0 ? ElementType::kE4m3 : ElementType::kBf16;
    const Batch few{draw(2, 40), draw(0, 3) == 0, draw(0, 3) == 0};
    Batch more = few;
    more.products *= 2;
    const GemmProblem problem = batch_of(few, shape, dtype);
    INFO(to_text(AnyProblem{problem}));
    const Ranking ranking =
        rank_candidates(h200(), problem, {}, Regime::kBurst, Inputs::kNormal, 1, {});
    REQUIRE(!ranking.predictions.empty());
    const Prediction& best = ranking.predictions.front();
    const double least =
        tensor_flops(problem) / 2 / (h200().sm.count * 2048.0 * best.sm_clock.value);
    CHECK(best.time.value >= least);
    CHECK(best.time.value >= gemm_bytes(problem) / h200().dram->bandwidth.value);
    const Ranking longer = rank_candidates(h200(), batch_of(more, shape, dtype), {}, Regime::kBurst,
                                           Inputs::kNormal, 1, {});
    CHECK(longer.predictions.front().time.value >= best.time.value * 0.98);
  }
}

TEST_CASE("Kernels without batch support say so") {
  const GemmProblem batch = batch_of({2}, {64, 64, 64});
  CHECK(check_legal(h200(), batch,
                    parse_kernel_config("small_mma:tile=64x64x64,warpgroups=1x1,a=registers,"
                                        "instruction_n=8")) == Refusal::kSchedule);
  const LoadedGpu b200 = load_gpu("b200", true);
  CHECK(
      why_not_solvable(b200.spec, batch).starts_with("Blackwell kernels support a single product"));
  CHECK(why_not_solvable(h200(), batch_of({i64{1} << 31}, {64, 1 << 10, 64}))
            .starts_with("a batch of 2147483648: at most 16777216 rows in total"));
  // 2^24 rows, M in whole 64, or columns.
  CHECK(why_not_solvable(h200(), batch_of({1 << 18}, {1, 8, 64})).empty());
  CHECK_FALSE(why_not_solvable(h200(), batch_of({(1 << 18) + 1}, {1, 8, 64})).empty());
  CHECK(why_not_solvable(h200(), batch_of({1 << 13}, {64, 1 << 11, 64})).empty());
  CHECK_FALSE(why_not_solvable(h200(), batch_of({(1 << 13) + 1}, {64, 1 << 11, 64})).empty());
}

}  // namespace tilecast
