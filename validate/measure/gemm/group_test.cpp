// Groups on the device: random groups, some masked, some along K, some of fp8 with block scales,
// against cuBLASLt's product of each group, itself checked against fp64; and that the kernels walk
// the groups' tiles as the model does.

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include "model/gemm/menu/candidates.h"
#include "model/gemm/problem/group_rows.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr int kProblems = 40;
constexpr int kConfigsOfEach = 4;

GemmProblem random_groups(int index, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  std::vector<i64> rows(static_cast<std::size_t>(up_to(index % 4 == 0 ? 128 : 12)));
  const i64 most = index % 3 == 0 ? 20 : index % 3 == 1 ? 150 : 700;
  for (i64& of_group : rows) {
    of_group = random() % 5 == 0 ? 0 : up_to(rows.size() > 12 ? 64 : most);
  }
  rows.back() += 1;  // some group has a row
  const bool fp8 = index % 5 == 4, n_major = index % 2 == 0 && !fp8;
  const i64 n = up_to(900);
  const i64 room = index % 3 == 0 ? std::ranges::max(rows) + up_to(100) - 1 : 0;
  return in_groups({.shape = {0, n_major ? (n + 7) / 8 * 8 : n, 16 * up_to(50)},
                    .dtype = fp8              ? ElementType::kE4m3
                             : index % 3 == 0 ? ElementType::kFp16
                                              : ElementType::kBf16,
                    .layout = n_major ? Layout::kNn : Layout::kTn,
                    .epilogue = {fp8 && index % 2 == 0 ? step<ScaleBlock>() : OutputStep{}}},
                   GroupRows::of(rows, room));
}

}  // namespace

TEST_CASE("Random groups are right, and walked in the model's order", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("random groups"));
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  constexpr Schedule kSchedules[] = {Schedule::kWarpSpecialized, Schedule::kPingPong};
  std::vector<Drawn> drawn;
  for (int i = 0; i < kProblems; ++i) {
    drawn.push_back({random_groups(i, random), {}});
    for (int j = 0; j < kConfigsOfEach; ++j) {
      const auto legal = enumerate_candidates(gpu, drawn.back().problem, {kSchedules[j % 2]}).legal;
      REQUIRE(!legal.empty());
      drawn.back().configs.push_back(legal[random() % legal.size()]);
    }
  }
  std::map<Schedule, int> of_schedule = check_walked(bench, drawn);
  const int pairs = of_schedule[kSchedules[0]] + of_schedule[kSchedules[1]];
  std::printf("%d pairs of groups and configuration checked\n", pairs);
  CHECK(pairs >= kProblems * kConfigsOfEach * 9 / 10);
}

TEST_CASE("Random groups along K are right, and walked in the model's order", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("random groups along K"));
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  constexpr Schedule kSchedules[] = {Schedule::kWarpSpecialized, Schedule::kPingPong};
  std::vector<Drawn> drawn;
  for (int i = 0; i < kProblems / 2; ++i) {
    std::vector<i64> rows(static_cast<std::size_t>(drawn_up_to(i % 4 == 0 ? 64 : 8, random)));
    for (i64& of_group : rows) {
      of_group = random() % 5 == 0 ? 0 : drawn_up_to(i % 3 == 0 ? 30 : 900, random);
    }
    rows.back() += 1;
    const i64 step = i % 4 == 3 ? 1 : 8;  // of sides: others are copied first
    drawn.push_back({in_groups_of_k({.shape = {step * drawn_up_to(1000 / step, random),
                                               step * drawn_up_to(1000 / step, random), 0},
                                     .dtype = i % 2 == 0 ? ElementType::kFp16 : ElementType::kBf16,
                                     .layout = Layout::kNt},
                                    rows),
                     {}});
    for (int j = 0; j < kConfigsOfEach; ++j) {
      draw_one(enumerate_candidates(gpu, drawn.back().problem, {kSchedules[j % 2]}).legal, random,
               drawn.back().configs);
    }
  }
  std::map<Schedule, int> of_schedule = check_walked(bench, drawn);
  const int pairs = of_schedule[kSchedules[0]] + of_schedule[kSchedules[1]];
  std::printf("%d pairs of groups along K and configuration checked\n", pairs);
  CHECK(pairs >= kProblems / 2 * kConfigsOfEach * 9 / 10);
}

TEST_CASE("Partially stored tiles are right under load", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("tiles stored in part"));
  std::vector<i64> rows(64);  // most end in the lower half of a tile of 128
  for (i64& of_group : rows) {
    of_group = 65 + static_cast<i64>(random() % 120);
  }
  bench.prepare(
      in_groups({.shape = {0, 3072, 1024}, .dtype = ElementType::kBf16, .layout = Layout::kTn},
                rows),
      Inputs::kNormal);
  for (const char* const text :
       {"ping_pong:tile=128x176x64,stages=5,cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=40,"
        "raster=grouped_m,group=1,walk=strided",
        "ping_pong:tile=128x192x64,stages=4,cluster=1x2,ctas=1,inflight=1,c_slots=2,producer=40,"
        "raster=grouped_m,group=1,walk=strided",
        "ping_pong:tile=192x32x64,stages=3,cluster=4x1,ctas=2,inflight=1,c_slots=2,producer=40,"
        "raster=grouped_n,group=16,walk=strided",
        "warp_specialized:tile=256x32x64,stages=6,warpgroups=1x1,cluster=2x2,ctas=1,inflight=1,"
        "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=1,walk=strided"}) {
    for (int again = 0; again < 5; ++again) {
      check_gemm(bench, parse_kernel_config(text), nullptr);
    }
  }
}
