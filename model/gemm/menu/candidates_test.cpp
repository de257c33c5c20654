#include "model/gemm/menu/candidates.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/base/math.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/menu/random_problems.h"
#include "model/gemm/order/work_decomposition.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/rules/compiler_rejections.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

/// Row and column of a tile, and its range of K blocks.
using Piece = std::tuple<u32, u32, i32, i32>;

/// Returns the first pieces of each worker's work, in order. Empty if no worker has a second tile.
std::vector<Piece> work_of(const GemmProblem& asked, const KernelConfig& asked_of) {
  constexpr u32 kMostPieces = 50'000;
  const KernelConfig config = for_operands(asked.dtype, asked_of);
  const GemmProblem problem = as_run(asked, config);
  const u32 resident = static_cast<u32>(resident_workers(calibrated_h200(), config));
  const TileScheduler tiles = make_tile_scheduler(problem, config, resident);
  std::vector<Piece> pieces;
  if (!splits_k(config.schedule)) {
    for (u32 w = 0; tiles.num_tiles() > resident && w < tiles.workers; ++w) {
      u32 left = ceil_div(kMostPieces, tiles.workers);
      for (u32 t = tiles.first(w); t < tiles.end(w) && left-- > 0; t = tiles.next(t)) {
        pieces.emplace_back(tiles.coord(t).m, tiles.coord(t).n, w, 0);
      }
    }
    return pieces;
  }
  const i32 k_blocks = static_cast<i32>(ceil_div<i64>(problem.shape.k, config.tiling.block_k));
  const WorkDecomposition work = make_work_decomposition(tiles, k_blocks, config, resident);
  for (u32 w = 0; w < work.workers; ++w) {
    for (WorkPiece p = work.first(w); work.valid(p); p = work.next(w, p)) {
      pieces.emplace_back(tiles.coord(p.tile).m, tiles.coord(p.tile).n, p.k_begin, p.k_end);
    }
  }
  return pieces;
}

TEST_CASE("No two of the first 30 have the same machine code and the same order of work") {
  std::vector<GemmProblem> problems =
      random_problems(calibrated_h200(), daily_seed("problems whose candidates are compared"), 12);
  // These problems once had duplicates: one wave with both grids, one row of tiles in three orders,
  // at most two waves as stream_k and its hybrid, one tile in three parts as stream_k and split_k.
  problems.push_back({{1024, 1024, 4096}, ElementType::kFp16, Layout::kTn});
  problems.push_back({{64, 65536, 512}, ElementType::kFp16, Layout::kTn});
  problems.push_back({{2304, 2048, 8192}, ElementType::kFp16, Layout::kTn});
  problems.push_back({{1, 64, 2951}, ElementType::kBf16, Layout::kNn});
  for (const GemmProblem& problem : problems) {
    using Kernel = std::tuple<KernelVariant, Reduction, std::vector<Piece>>;
    std::map<Kernel, std::string> names;
    for (const Prediction& p : rank_candidates(calibrated_h200(), problem, {}, Regime::kBurst,
                                               Inputs::kNormal, 30, {.method = Method::kAnalytic})
                                   .predictions) {
      const KernelConfig& config = std::get<KernelConfig>(p.config);
      const auto [other, is_new] =
          names.emplace(Kernel{variant_of(problem, config), config.decomposition.reduction,
                               work_of(problem, config)},
                        to_text(config));
      CAPTURE(to_text(AnyProblem{problem}), to_text(config), other->second);
      CHECK(is_new);
    }
  }
}

TEST_CASE("A configuration that is an alias of a candidate can still be predicted") {
  const GemmProblem one_wave{{1024, 1024, 4096}, ElementType::kFp16, Layout::kTn};
  const auto best = [&](const char* pattern) {
    return rank_matching(calibrated_h200(), one_wave, ConfigPattern(pattern), Regime::kBurst,
                         Inputs::kNormal, 1, {.method = Method::kAnalytic})
        .predictions.front();
  };
  const KernelConfig tiles =
      std::get<KernelConfig>(best("ws:tile=128x128x64,c_slots=2,grid=tiles").config);
  CHECK(tiles.grid == Grid::kTiles);
  const GemmProblem two_waves{{2304, 2048, 8192}, ElementType::kFp16, Layout::kTn};
  CHECK_FALSE(
      enumerate_candidates(calibrated_h200(), two_waves, {Schedule::kStreamKHybrid}).legal.empty());
}

TEST_CASE("A schedule that cannot split K profitably reports that before other refusals") {
  const auto refusal = [](const GemmShape& shape, Schedule schedule) {
    return ERROR_MESSAGE(rank_candidates(
        calibrated_h200(), GemmProblem{shape, ElementType::kFp16, Layout::kTn}, {schedule},
        Regime::kBurst, Inputs::kNormal, 1, {.method = Method::kAnalytic}));
  };
  CHECK(refusal({64, 3248, 1024}, Schedule::kStreamK).empty());
  // K = 256 has at most 4 K blocks of 64, but a part must have more than 8.
  const std::string why = refusal({64, 3248, 256}, Schedule::kStreamK);
  CAPTURE(why);
  CHECK(contains(why, "no candidate is legal on h200_sxm: no split of K is useful: tile="));
  CHECK(contains(why, "stream_k needs a wave that is not full and parts of at least 9 K blocks"));
}

TEST_CASE(
    "C has one slot where that leaves room for a fourth stage, and bands are the only order") {
  const GemmProblem problem{{5888, 2720, 4896}, ElementType::kBf16};
  std::map<i32, std::set<std::tuple<i32, i32>>> by_width;  // stages and slots of C
  for (const KernelConfig& c :
       enumerate_candidates(calibrated_h200(), problem, {Schedule::kPersistentOverlap}).legal) {
    CHECK(c.raster.kind != RasterKind::kHilbert);
    const Tiling& t = c.tiling;
    if (t.block_k == 64 && cluster_size(t) == 2 && t.block_m == 256 && t.warpgroups_m == 2) {
      by_width[t.block_n].emplace(t.stages, t.c_slots);
    }
  }
  CHECK(by_width[160].contains({4, 1}));
  CHECK(by_width[160].contains({3, 2}));
  CHECK_FALSE(by_width[160].contains({3, 1}));
  CHECK(by_width[128].contains({4, 2}));
  CHECK_FALSE(by_width[128].contains({4, 1}));
}

TEST_CASE("Schedules without a ring are candidates if named, or with `all`") {
  const GemmProblem problem{{64, 128, 64}, ElementType::kFp16, Layout::kTn};
  const auto schedules_of = [&](const std::vector<Schedule>& named, bool all) {
    std::set<Schedule> found;
    for (const KernelConfig& config :
         enumerate_candidates(calibrated_h200(), problem, named, all).legal) {
      found.insert(config.schedule);
    }
    return found;
  };
  const std::set<Schedule> rungs{Schedule::kSmallMma, Schedule::kBlocked,
                                 Schedule::kBlockedPipelined};
  CHECK(schedules_of({rungs.begin(), rungs.end()}, false) == rungs);
  const std::set<Schedule> menu = schedules_of({}, false), all = schedules_of({}, true);
  CHECK(menu.contains(Schedule::kPipelined));
  for (const Schedule rung : rungs) {
    CHECK_FALSE(menu.contains(rung));
    CHECK(all.contains(rung));
  }
}

TEST_CASE("Kernels off the menu keep the rules of their instructions") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const auto multistage = [&](const GemmProblem& problem) {
    return enumerate_candidates(gpu, problem, {Schedule::kMultistage}, true).legal.size();
  };
  GemmProblem problem{{335, 16, 710}, ElementType::kFp16, Layout::kTt};
  CHECK(multistage(problem) > 0);
  problem.leading.c = 32;
  CHECK(multistage(problem) == 0);
  CHECK(multistage(in_groups({.shape = {0, 4096, 7168}, .layout = Layout::kTn}, {64, 80})) == 0);
}

TEST_CASE("mma.sync is on the menu only of GPUs without wgmma and tcgen05") {
  for (const char* name : {"h200_sxm", "b200", "a100_sxm80", "rtx_4090", "rtx_5090"}) {
    const GpuSpec gpu = load_gpu(name, false).spec;
    CAPTURE(name);
    for (const Schedule schedule : menu_schedules(gpu, true)) {
      CHECK(uses_mma_sync(schedule) == (!gpu.wgmma && !gpu.tcgen05));
    }
  }
  const GpuSpec ada = load_gpu("rtx_4090", false).spec;
  for (const Layout layout : kEveryLayout) {
    const auto legal =
        enumerate_candidates(ada, {{1000, 2000, 3000}, ElementType::kBf16, layout}, {}).legal;
    CHECK(legal.size() > 50);
  }
  // Ada has fp8, Ampere does not.
  const GemmProblem fp8{{1024, 1024, 1024}, ElementType::kE4m3, Layout::kTn};
  CHECK(!enumerate_candidates(ada, fp8, {}).legal.empty());
  CHECK(enumerate_candidates(load_gpu("a100_sxm80", false).spec, fp8, {}).legal.empty());
}

}  // namespace
}  // namespace tilecast
