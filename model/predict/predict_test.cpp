#include "model/predict/predict.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

const Effort kClosedForms{.method = Method::kAnalytic};

Ranking rank(const GemmProblem& p) {
  return rank_candidates(h200(), p, {}, Regime::kBurst, Inputs::kNormal, kEveryCandidate,
                         kClosedForms);
}

TEST_CASE(
    "A large square problem has at least 1500 distinct legal candidates per useful schedule") {
  const Candidates candidates = enumerate_candidates(h200(), fp16(8192, 8192, 8192), {});
  CHECK(candidates.legal.size() >= 1500);
  std::set<std::string> texts;
  std::set<Schedule> schedules;
  for (const KernelConfig& config : candidates.legal) {
    texts.insert(to_text(config));
    schedules.insert(config.schedule);
  }
  CHECK(texts.size() == candidates.legal.size());
  // With thousands of tiles split_k and stream_k are always dominated.
  CHECK(schedules.size() == menu_schedules(h200()).size() - 2);
  CHECK(candidates.rejected.at("shared_memory") > 0);
  CHECK(candidates.rejected.at("registers") > 0);
}

TEST_CASE("Tile widths that fill whole waves are added to the default ones") {
  const auto widths = [](const GemmProblem& p, Schedule schedule, i32 block_m) {
    std::set<i32> found;
    for (const KernelConfig& config : enumerate_candidates(h200(), p, {schedule}).legal) {
      if (config.operands == OperandOrder::kInOrder && config.tiling.block_m == block_m &&
          config.tiling.block_n % kInstructionNStep != 0) {
        found.insert(config.tiling.block_n);
      }
    }
    return found;
  };
  using Widths = std::set<i32>;
  // 132 SMs and 2 rows of tiles: 66 columns of 168 cover 11,088, whereas columns of 176 leave 6 SMs
  // without a tile.
  CHECK(widths(fp16(256, 11008, 4096), Schedule::kWarpSpecialized, 128).contains(168));
  CHECK(widths(fp16(1024, 11008, 4096), Schedule::kPingPong, 128).contains(168));  // four waves
  // 12 rows of tiles: 54 columns of 168 take five waves, 840 columns per SM. Columns of 208 take
  // four waves, 832 per SM, but are too wide for one warpgroup.
  CHECK(widths(fp16(1536, 8960, 1536), Schedule::kPingPong, 128).contains(168));
  CHECK(!widths(fp16(1536, 8960, 1536), Schedule::kWarpSpecialized, 128).contains(168));
  CHECK(widths(fp16(256, 11008, 4096, Layout::kNn), Schedule::kWarpSpecialized, 128).empty());
  CHECK(widths(fp16(256, 11008, 4096), Schedule::kBlocked, 128).empty());
  CHECK(widths(fp16(256, 11008, 4096), Schedule::kStreamK, 128).empty());
  // 33 columns of 128 are exactly 4,224: no other width leaves fewer SMs idle.
  CHECK(widths(fp16(512, 4224, 4096), Schedule::kWarpSpecialized, 128) == Widths{});
  // A batch of two has twice the rows of tiles.
  GemmProblem two = fp16(128, 11008, 4096);
  two.batch.products = 2;
  CHECK(widths(two, Schedule::kWarpSpecialized, 128).contains(168));
}

TEST_CASE("Problems with few tiles and a long K are split by every available decomposition") {
  // 512 x 512 has between 4 tiles of 256 x 256 and 256 tiles of 64 x 16; none of these is a whole
  // wave.
  const Candidates candidates = enumerate_candidates(h200(), fp16(512, 512, 65536), {});
  std::set<std::pair<Schedule, Reduction>> seen;
  for (const KernelConfig& config : candidates.legal) {
    if (splits_k(config.schedule)) {
      seen.insert({config.schedule, config.decomposition.reduction});
    }
  }
  std::set<std::pair<Schedule, Reduction>> expected;
  for (const Schedule schedule :
       {Schedule::kSplitK, Schedule::kSplitKHybrid, Schedule::kStreamK, Schedule::kStreamKHybrid}) {
    expected.insert({schedule, Reduction::kTurnstile});
    expected.insert({schedule, Reduction::kAtomic});
    if (splits_equally(schedule)) {
      expected.insert({schedule, Reduction::kSpread});
    }
  }
  CHECK(seen == expected);
}

TEST_CASE("K is split into parts of at most four K blocks") {
  // With K blocks of 64: 31 blocks allow eight splits (seven of four blocks, one of three), 32
  // eight, 33 nine.
  for (const auto& [k, most] : {std::pair{1984, 8}, {2048, 8}, {2112, 9}}) {
    i32 splits = 0;
    for (const KernelConfig& c : enumerate_candidates(h200(), fp16(70, 30, k), {}).legal) {
      if (c.schedule == Schedule::kSplitK && c.tiling.block_k == 64) {
        splits = std::max(splits, c.decomposition.splits);
      }
    }
    CHECK(splits == most);
  }
}

TEST_CASE("Clusters with half their CTAs outside C are no candidates, clusters as wide as C are") {
  // 128 rows are one tile of 128 rows, or two tiles of 64 that can share B.
  int wide = 0;
  int fitting = 0;
  for (const KernelConfig& c : enumerate_candidates(h200(), fp16(128, 4096, 4096), {}).legal) {
    const Tiling& t = c.tiling;
    wide += t.cluster_m == 2 && t.block_m >= 128 ? 1 : 0;
    fitting += t.cluster_m == 2 && t.block_m == 64 ? 1 : 0;
  }
  CHECK(wide == 0);
  CHECK(fitting > 0);
}

TEST_CASE("A heuristic never removes the last legal candidates") {
  // A slab of B [K,N] in shared memory has 64 columns, so no tile is narrower.
  for (const i64 n : {8, 16, 24, 32, 40, 48}) {
    const Candidates nn = enumerate_candidates(h200(), fp16(4704, n, 4096, Layout::kNn), {});
    CHECK(!nn.legal.empty());
    CHECK(std::ranges::all_of(
        nn.legal, [](const KernelConfig& config) { return config.tiling.block_n == 64; }));
  }
  for (const i64 n : {1, 8, 40}) {
    CHECK(!enumerate_candidates(load_gpu("b200", false).spec, fp16(8, n, 64), {}).legal.empty());
  }
}

TEST_CASE("All candidates within one percent of the fastest are counted, even if not kept") {
  const GemmProblem p = fp16(1024, 1024, 1024);
  const Ranking all = rank(p);
  const auto within = std::ranges::count_if(all.predictions, [&](const Prediction& prediction) {
    return prediction.time <= all.predictions.front().time * 1.01;
  });
  CHECK(within > 1);
  CHECK(all.within_1_percent == within);
  for (const std::size_t keep : {1u, 10u}) {
    CHECK(rank_candidates(h200(), p, {}, Regime::kBurst, Inputs::kNormal, keep, kClosedForms)
              .within_1_percent == within);
  }
}

TEST_CASE("Rankings are sorted by time, and the first agrees with predict_config") {
  const GemmProblem p = fp16(4096, 4096, 4096);
  const Ranking ranking = rank(p);
  CHECK(std::is_sorted(ranking.predictions.begin(), ranking.predictions.end(),
                       [](const Prediction& a, const Prediction& b) { return a.time < b.time; }));
  const Prediction& first = ranking.predictions.front();
  const Prediction alone =
      predict_config(h200(), p, first.config, Regime::kBurst, Inputs::kNormal, Method::kAnalytic);
  CHECK(alone.time.value == first.time.value);
  CHECK(alone.cycles.value == first.cycles.value);
}

TEST_CASE("The fastest few are the first of the whole ranking, in the same order, including ties") {
  // Each ranking takes seconds, so a day's run checks one problem per regime: on even days one of
  // the fixed problems, on odd days a random one.
  const unsigned seed = daily_seed("problems to rank");
  std::mt19937 random(seed);
  std::uniform_int_distribution<i64> side(1, 700);
  const GpuSpec gpu = h200();
  const auto draw = [&] { return fp16(8 * side(random), 8 * side(random), 8 * side(random)); };
  const bool fixed = seed % 2 == 0, large = seed / 2 % 2 == 0;
  const std::pair<Regime, GemmProblem> cases[] = {
      {Regime::kBurst, !fixed  ? draw()
                       : large ? fp16(8192, 8192, 8192)
                               : fp16(512, 512, 512)},
      {Regime::kSustained, !fixed  ? draw()
                           : large ? fp16(4100, 4100, 4104)
                                   : fp16(16, 4096, 14336)}};
  for (const auto& [regime, p] : cases) {
    const std::size_t keep = regime == Regime::kBurst ? 1 : 40;
    const Ranking all =
        rank_candidates(gpu, p, {}, regime, Inputs::kNormal, kEveryCandidate, kClosedForms);
    const Ranking few = rank_candidates(gpu, p, {}, regime, Inputs::kNormal, keep, kClosedForms);
    REQUIRE(few.predictions.size() == keep);
    CHECK(few.candidates == static_cast<int>(all.predictions.size()));
    bool equal = true;
    for (std::size_t i = 0; i < keep; ++i) {
      equal = equal && few.predictions[i].config == all.predictions[i].config &&
              few.predictions[i].time == all.predictions[i].time;
    }
    CHECK(equal);
  }
}

TEST_CASE("The kernel with the fewest cycles is not the fastest if energy limits the clock") {
  const Ranking ranking = rank(fp16(3840, 3840, 3840));
  const auto fewest = std::min_element(
      ranking.predictions.begin(), ranking.predictions.end(),
      [](const Prediction& a, const Prediction& b) { return a.cycles < b.cycles; });
  CHECK(fewest->time > ranking.predictions.front().time);
}

TEST_CASE("Clock and cycles are consistent to a tenth of a percent") {
  // At the predicted clock the model reproduces the predicted cycles, so the fixed point has
  // converged. A day's run checks two of the problems.
  Turns turns("problems whose clock is solved again", 2);
  const GpuSpec gpu = h200();
  for (const GemmProblem& p : {fp16(512, 512, 512), fp16(4096, 4096, 4096), fp16(64, 28672, 8192),
                               fp16(8192, 8192, 512)}) {
    if (!turns.due()) {
      continue;
    }
    TrafficMemo traffic(*gpu.l2, p);
    double worst = 0;
    const Ranking ranking = rank_candidates(gpu, p, {}, Regime::kSustained, Inputs::kNormal,
                                            kEveryCandidate, kClosedForms);
    for (std::size_t i = 0; i < ranking.predictions.size(); i += 97) {
      const Prediction& prediction = ranking.predictions[i];
      const GemmWork work = gemm_work(gpu, p, std::get<KernelConfig>(prediction.config), traffic);
      const Cycles again =
          closed_form(gpu, p, std::get<KernelConfig>(prediction.config), work, prediction.sm_clock)
              .cycles;
      worst = std::max(worst, std::abs(again / prediction.cycles - 1));
    }
    CHECK(worst < 1e-3);
  }
}

TEST_CASE("A problem without a kernel is rejected before ranking") {
  GemmProblem fp8 = fp16(64, 64, 64);
  fp8.dtype = ElementType::kE4m3;
  fp8.layout = Layout::kNn;
  CHECK_THROWS_AS(rank(fp8), ConfigError);
}

TEST_CASE("A GPU on which no schedule runs is rejected by name") {
  CHECK_THROWS_AS(rank_candidates(load_gpu("hipparchus_h10", false).spec, fp16(64, 64, 64), {},
                                  Regime::kBurst, Inputs::kNormal, 1),
                  ConfigError);
}

}  // namespace
}  // namespace tilecast
