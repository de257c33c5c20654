// Random problems of every kind on kernels drawn from their candidates, each schedule equally
// often. Checks results against cuBLASLt and fp64, and that each kernel walks the tiles that the
// model predicts. Random epilogues are in epilogue_test.cpp, decompositions of K in
// split_k_test.cpp.

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/math.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "tests/gemm_check.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"
#include "tests/h200.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

/// Layout of the index-th problem; fp8 has only one.
Layout drawn_layout(int index, ElementType dtype) {
  return is_fp8(dtype) ? Layout::kTn : kEveryLayout[index % 4];
}

/// Rounds dimensions along which rows run up to multiples of 16 bytes.
GemmProblem with_whole_rows(GemmProblem problem) {
  auto& [m, n, k] = problem.shape;
  m = a_is_k_major(problem.layout) ? m : round_up<i64>(m, 8);
  n = b_is_k_major(problem.layout) ? n : round_up<i64>(n, 8);
  return problem;
}

/// Draws sizes from one tile and one K block to a few thousand.
GemmProblem single(int index, std::mt19937& random) {
  const i64 sides[] = {64, 64, 64, 300, 2500}, depths[] = {4, 4, 16, 32, 200};
  const int size = index % 5;
  const ElementType dtype =
      index % 8 == 7 ? ElementType::kE5m2 : drawn_type(static_cast<int>(random() % 3));
  const i64 m = drawn_up_to(sides[size], random), n = drawn_up_to(sides[size], random);
  return with_whole_rows({.shape = {m, n, 16 * drawn_up_to(depths[size], random)},
                          .dtype = dtype,
                          .layout = drawn_layout(index, dtype)});
}

GemmProblem batch(int index, std::mt19937& random) {
  const ElementType dtype = drawn_type(index);
  const i64 side = index % 4 == 0 ? 64 : index % 4 == 1 ? 1200 : 300;
  const i64 m = drawn_up_to(side, random), n = drawn_up_to(side, random);
  GemmProblem problem =
      with_whole_rows({.shape = {m, n, 16 * drawn_up_to(side == 1200 ? 60 : 25, random)},
                       .dtype = dtype,
                       .layout = drawn_layout(index, dtype),
                       .batch = {1 + drawn_up_to(side == 1200 ? 7 : 70, random), random() % 4 == 0,
                                 random() % 4 == 0}});
  if (index % 5 == 0) {
    problem.epilogue = {random() % 2 == 0 ? step<BiasN>() : step<BiasM>(), step<Gelu>()};
  }
  return problem;
}

/// Draws rows that start at any address, and gaps between rows that no kernel may read or write.
GemmProblem odd_sides(int index, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  const ElementType dtype = drawn_type(index);
  GemmProblem problem{.shape = {up_to(index % 4 == 0 ? 40 : 600), up_to(700), up_to(2500)},
                      .dtype = dtype,
                      .layout = drawn_layout(index, dtype)};
  problem.batch.products = index % 9 == 4 ? 3 : 1;
  LeadingDimensions leading{};
  if (up_to(2) == 1) {
    problem.shape.n = round_up<i64>(problem.shape.n, 8);
    leading.c = problem.shape.n + 8 * up_to(4);
  }
  if (index % 3 == 1) {
    leading.a = sides_of_a(problem).columns + up_to(30);
    leading.b = sides_of_b(problem).columns + up_to(30);
  }
  return with_leading(problem, leading);
}

/// Draws problems for swapped operands.
GemmProblem few_rows(int index, std::mt19937& random) {
  const i64 most = index % 4 == 0 ? 24 : index % 4 == 1 ? 600 : 260;
  const i64 m = drawn_up_to(most, random);
  GemmProblem problem{.shape = {m, 8 * drawn_up_to(index % 2 == 0 ? 40 : 1500, random),
                                16 * drawn_up_to(300, random)},
                      .dtype = drawn_type(index),
                      .layout = index % 3 == 0 ? Layout::kNn : Layout::kTn};
  if (index % 4 == 2) {
    problem.batch = {drawn_up_to(8, random), random() % 4 == 0, random() % 4 == 0};
  }
  return problem;
}

/// Draws sizes of groups; every fifth may be 0, but not all.
std::vector<i64> drawn_rows(i64 most_groups, i64 most_rows, std::mt19937& random) {
  std::vector<i64> rows(static_cast<std::size_t>(drawn_up_to(most_groups, random)));
  std::ranges::generate(rows,
                        [&] { return random() % 5 == 0 ? 0 : drawn_up_to(most_rows, random); });
  rows.back() += 1;
  return rows;
}

GemmProblem groups(int index, std::mt19937& random) {
  const i64 most = index % 3 == 0 ? 20 : index % 3 == 1 ? 150 : 700;
  const std::vector<i64> rows =
      index % 4 == 0 ? drawn_rows(128, 64, random) : drawn_rows(12, most, random);
  const bool fp8 = index % 5 == 4;
  const i64 room = index % 3 == 0 ? std::ranges::max(rows) + drawn_up_to(100, random) - 1 : 0;
  const i64 n = drawn_up_to(900, random);
  return in_groups(
      with_whole_rows({.shape = {0, n, 16 * drawn_up_to(50, random)},
                       .dtype = fp8              ? ElementType::kE4m3
                                : index % 3 == 0 ? ElementType::kFp16
                                                 : ElementType::kBf16,
                       .layout = index % 2 == 0 && !fp8 ? Layout::kNn : Layout::kTn,
                       .epilogue = {fp8 && index % 2 == 0 ? step<ScaleBlock>() : OutputStep{}}}),
      GroupRows::of(rows, room));
}

GemmProblem groups_along_k(int index, std::mt19937& random) {
  // Operands whose rows are not multiples of 16 bytes are copied before the kernel.
  const i64 step = index % 4 == 3 ? 1 : 8;
  const i64 m = step * drawn_up_to(1000 / step, random);
  return in_groups_of_k({.shape = {m, step * drawn_up_to(1000 / step, random), 0},
                         .dtype = drawn_type(index % 2),
                         .layout = Layout::kNt},
                        drawn_rows(index % 4 == 0 ? 64 : 8, index % 3 == 0 ? 30 : 900, random));
}

GemmProblem fp8(int index, std::mt19937& random) {
  const i64 sides[] = {64, 300, 1500};
  const i64 m = drawn_up_to(sides[random() % 3], random);
  const i64 n = drawn_up_to(sides[random() % 3], random);
  return {.shape = {m, n, 16 * drawn_up_to(130, random)},
          .dtype = index % 2 == 0 ? ElementType::kE4m3 : ElementType::kE5m2,
          .layout = Layout::kTn,
          .c = index % 4 < 2 ? ElementType::kBf16 : ElementType::kFp16};
}

/// Draws problems with fp32 promotion: one GEMM, a batch or groups.
GemmProblem exact_sums(int index, std::mt19937& random) {
  GemmProblem problem = fp8(index, random);
  problem.accumulate = Accumulate::kExact;
  if (index % 3 == 1) {
    problem.batch.products = drawn_up_to(4, random);
    problem.batch.one_b = problem.batch.products > 1 && random() % 2 == 0;
  } else if (index % 3 == 2) {
    return in_groups(problem, drawn_rows(4, 200, random));
  }
  return problem;
}

GemmProblem scaled_by(OutputStep scales, int index, std::mt19937& random) {
  GemmProblem problem = fp8(index, random);
  problem.epilogue = {scales};
  if (scales != step<ScaleBlock>() && random() % 2 == 0) {
    problem.accumulate = Accumulate::kExact;
  }
  if (random() % 3 == 0) {
    problem.epilogue.add(random() % 2 == 0 ? step<BiasM>() : step<BiasN>());
    problem.epilogue.add(random() % 2 == 0 ? OutputStep{} : step<Gelu>());
  }
  return problem;
}

bool swapped(const KernelConfig& config) { return config.operands == OperandOrder::kSwapped; }
bool any(const KernelConfig&) { return true; }
bool in_clusters(const KernelConfig& config) { return cluster_size(config.tiling) > 1; }
bool swapped_in_clusters(const KernelConfig& config) {
  return swapped(config) && in_clusters(config);
}

struct Family {
  const char* name;
  int problems;
  GemmProblem (*draw)(int index, std::mt19937& random);
  bool (*takes)(const KernelConfig& config);
  bool dominated;                // draws from dominated candidates too
  int kernels;                   // number drawn for each problem, schedule and cluster shape
  std::size_t fewest_schedules;  // minimum number of schedules with a checked kernel
  int fewest_pairs;
};

GemmProblem scaled_by_blocks(int index, std::mt19937& random) {
  return scaled_by(step<ScaleBlock>(), index, random);
}
GemmProblem scaled_by_tensors(int index, std::mt19937& random) {
  return scaled_by(step<ScaleTensor>(), index, random);
}
GemmProblem scaled_by_rows(int index, std::mt19937& random) {
  return scaled_by(step<ScaleRow>(), index, random);
}

constexpr Family kFamilies[] = {
    {"single GEMMs", 60, single, any, false, 1, std::size(kWgmmaSchedules), 250},
    {"batches", 40, batch, any, false, 1, 9, 250},
    {"odd sides and leading dimensions", 36, odd_sides, any, true, 1, 8, 120},
    {"swapped operands", 24, few_rows, swapped, true, 1, 4, 100},
    {"groups", 40, groups, any, false, 2, 2, 144},
    {"groups along K", 20, groups_along_k, any, false, 2, 2, 72},
    {"exact sums of fp8", 24, exact_sums, any, false, 1, 3, 48},
    {"scales of blocks", 12, scaled_by_blocks, any, false, 4, 2, 48},
    {"scales of tensors", 12, scaled_by_tensors, any, false, 1, 8, 30},
    {"scales of rows", 12, scaled_by_rows, any, false, 1, 8, 30},
};

constexpr Family kFamiliesInClusters[] = {
    {"swapped operands in clusters", 6, few_rows, swapped_in_clusters, true, 1, 4, 80},
    {"groups in clusters", 15, groups, in_clusters, true, 1, 2, 80},
    {"groups along K in clusters", 8, groups_along_k, in_clusters, true, 1, 2, 50},
    {"fp8 in clusters", 4, fp8, in_clusters, true, 1, 4, 50},
    {"exact sums of fp8 in clusters", 9, exact_sums, in_clusters, true, 1, 2, 50},
    {"scales of blocks in clusters", 6, scaled_by_blocks, in_clusters, true, 1, 2, 40},
    {"batches in clusters", 6, batch, in_clusters, true, 1, 4, 80},
    {"odd sides in clusters", 6, odd_sides, in_clusters, true, 1, 4, 80},
};

/// Draws problems, and kernels for each: of every schedule, if `of_each_cluster` of each of its
/// cluster shapes.
std::vector<Drawn> drawn_of(const Family& family, bool of_each_cluster, const GpuSpec& gpu) {
  std::mt19937 random(daily_seed(family.name));
  std::vector<Drawn> drawn;
  for (int i = 0; i < family.problems; ++i) {
    drawn.push_back({family.draw(i, random), {}});
    for (const Schedule schedule : kEverySchedule) {
      if (uses_tcgen05(schedule)) {
        continue;
      }
      std::map<std::pair<i32, i32>, std::vector<KernelConfig>> legal;
      for (const KernelConfig& config :
           enumerate_candidates(gpu, drawn.back().problem, {schedule}, family.dominated, 0).legal) {
        if (family.takes(config)) {
          const Tiling& t = config.tiling;
          legal[of_each_cluster ? std::pair(t.cluster_m, t.cluster_n) : std::pair(0, 0)].push_back(
              config);
        }
      }
      for (const auto& [cluster, configs] : legal) {
        for (int kernel = 0; kernel < family.kernels; ++kernel) {
          draw_one(configs, random, drawn.back().configs);
        }
      }
    }
  }
  return drawn;
}

void check_families(std::span<const Family> families, bool of_each_cluster) {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  for (const Family& family : families) {
    INFO(family.name);
    const std::map<Schedule, int> checked =
        check_walked(bench, drawn_of(family, of_each_cluster, h200()));
    int pairs = 0;
    for (const auto& [schedule, count] : checked) {
      std::printf("  %s: %d\n", std::string(to_text(schedule)).c_str(), count);
      pairs += count;
    }
    std::printf("%s: %d pairs of problem and kernel checked\n", family.name, pairs);
    CHECK(checked.size() >= family.fewest_schedules);
    CHECK(pairs >= family.fewest_pairs);
  }
}

}  // namespace

TEST_CASE("Random problems are right on random kernels, which walk the tiles as modelled",
          "[gpu]") {
  check_families(kFamilies, false);
}

TEST_CASE("Random problems are right on random kernels in clusters of every shape", "[gpu]") {
  check_families(kFamiliesInClusters, true);
}

TEST_CASE("Tiles that the copy engine stores in part are right under load", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("tiles stored in part"));
  std::vector<i64> rows(64);  // most groups end in the lower half of a tile of 128
  for (i64& of_group : rows) {
    of_group = 65 + static_cast<i64>(random() % 120);
  }
  bench.prepare(
      in_groups({.shape = {0, 3072, 1024}, .dtype = ElementType::kBf16, .layout = Layout::kTn},
                rows),
      Inputs::kNormal);
  for (const char* const text :
       {"pp 128x176x64 s5 w1x1 c1x1 o1 i1 e2 m1", "pp 128x192x64 s4 w1x1 c1x2 o1 i1 e2 m1",
        "pp 192x32x64 s3 w1x1 c4x1 o2 i1 e2 n16", "ws 256x32x64 s6 w1x1 c2x2 o1 i1 e2 m1"}) {
    for (int again = 0; again < 5; ++again) {
      check_gemm(bench, gemm_config(text), nullptr);
    }
  }
}
