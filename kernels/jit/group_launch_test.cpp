// Grouped kernels on the device: groups of any size, against exact integer sums.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kernels/jit/gemm_kernel.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/ops/any_op.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/group_launch.h"
#include "tests/hang_guard.h"
#include "tests/seed.h"
#include "tests/whole_numbers.h"

namespace tilecast {
namespace {

constexpr const char* kConfigs[] = {
    "warp_specialized:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=4,walk=strided",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=3,walk=chunked",
    "warp_specialized:tile=64x128x64,stages=4,warpgroups=1x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=1,producer=40,grid=resident,raster=hilbert,group=1,walk=strided",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=2,walk=strided,store=deferred",
    "ping_pong:tile=64x64x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_m,group=2,walk=strided",
    "ping_pong:tile=128x128x64,stages=4,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_n,group=2,walk=chunked",
};

GemmProblem grouped(const std::vector<i64>& rows, i64 n, i64 k, Layout layout) {
  return in_groups({.shape = {0, n, k}, .dtype = ElementType::kFp16, .layout = layout}, rows);
}

std::vector<unsigned short> product(const GemmProblem& problem, const std::vector<i64>& rows,
                                    const std::vector<int>& a, const std::vector<int>& b) {
  const auto [m, n, k] = problem.shape;
  const bool tn = problem.layout == Layout::kTn;
  std::vector<unsigned short> c;
  i64 row = 0;
  for (std::size_t group = 0; group < rows.size(); ++group) {
    const int* const b_of_group = b.data() + static_cast<i64>(group) * n * k;
    for (const i64 end = row + rows[group]; row < end; ++row) {
      for (i64 column = 0; column < n; ++column) {
        int sum = 0;
        for (i64 i = 0; i < k; ++i) {
          sum += a[static_cast<std::size_t>(row * k + i)] *
                 b_of_group[tn ? column * k + i : i * n + column];
        }
        c.push_back(fp16_bits(sum));
      }
    }
  }
  c.resize(static_cast<std::size_t>((m + kGuardRows) * n), kUnwritten);
  return c;
}

std::vector<unsigned short> run(const char* config, const GemmProblem& problem,
                                const std::vector<i32>& numbers, const std::vector<int>& a,
                                const std::vector<int>& b) {
  return run_grouped(parse_kernel_config(config), problem, numbers, as_fp16(a), as_fp16(b));
}

}  // namespace

TEST_CASE("Grouped kernels compile without spills, and other schedules do not support groups") {
  for (const char* const text :
       {"warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
        "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided,store=deferred",
        "ping_pong:tile=128x192x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=40,"
        "raster=grouped_m,group=8,walk=strided"}) {
    INFO(text);
    const ProblemKind kind = ProblemKind::of(grouped({1}, 8, 8, Layout::kTn));
    CHECK(compile_gemm(parse_kernel_config(text), kind, grouped_cache()).rejection == "");
  }
  const KernelConfig pipelined = parse_kernel_config(
      "pipelined:tile=128x128x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
      "raster=grouped_m,group=4");
  CHECK_THROWS_AS(gemm_source(pipelined, ProblemKind::of(grouped({1}, 8, 8, Layout::kTn))),
                  ConfigError);
}

TEST_CASE("Groups of any size are correct", "[gpu]") {
  gpu_or_skip();
  compile_grouped(kConfigs, {ProblemKind::of(grouped({1}, 8, 8, Layout::kTn)),
                             ProblemKind::of(grouped({1}, 8, 8, Layout::kNn))});
  std::mt19937 random(daily_seed("groups"));
  std::vector<std::vector<i64>> lists{{256, 0, 17}, {0, 0, 5}, {130, 0}, {64, 64, 64}, {1}};
  for (int i = 0; i < 15; ++i) {
    lists.push_back(random_rows(random, 100, 300));
  }
  for (const std::vector<i64>& rows : lists) {
    // N = 72 allows bulk stores, 131 does not; K ends inside a block.
    const bool tn = random() % 2 == 0;
    const i64 n = tn && random() % 2 == 0 ? 131 : 72 + 8 * static_cast<i64>(random() % 40);
    const i64 k = 8 * (1 + static_cast<i64>(random() % 20));
    const GemmProblem problem = grouped(rows, n, k, tn ? Layout::kTn : Layout::kNn);
    const std::vector<int> a = make_values(problem.shape.m * k, 1);
    const std::vector<int> b = make_values(static_cast<i64>(rows.size()) * n * k, 2);
    const std::vector<unsigned short> expected = product(problem, rows, a, b);
    for (const char* const text : kConfigs) {
      const std::string what = to_text(problem) + " " + text;
      const HangGuard guard(what);
      INFO(what);
      CHECK((run(text, problem, problem.groups->on_device(), a, b) == expected));
    }
  }
}

TEST_CASE("Groups may have other sizes than the launch was planned for", "[gpu]") {
  gpu_or_skip();
  const std::vector<i64> planned{300, 300, 300, 300}, actual{0, 900, 1, 299};
  const GemmProblem problem = grouped(planned, 136, 72, Layout::kTn);
  const std::vector<int> a = make_values(1200 * 72, 1), b = make_values(4 * 136 * 72, 2);
  const std::vector<unsigned short> expected = product(problem, actual, a, b);
  const std::vector<i32> ends = GroupRows::of(actual)->on_device();
  for (const char* const text : kConfigs) {
    INFO(text);
    CHECK((run(text, problem, ends, a, b) == expected));
  }
}

TEST_CASE("Masked groups write their rows and leave unused capacity unchanged", "[gpu]") {
  gpu_or_skip();
  std::mt19937 random(daily_seed("masked groups"));
  for (int i = 0; i < 12; ++i) {
    const std::vector<i64> rows = random_rows(random, 100, 300);
    const i64 room = std::ranges::max(rows) + static_cast<i64>(random() % 90);
    const i64 n = random() % 2 == 0 ? 131 : 136, k = 8 * (1 + static_cast<i64>(random() % 20));
    const GemmProblem plain = grouped(rows, n, k, Layout::kTn);
    const GemmProblem problem = in_groups(plain, GroupRows::of(rows, room));
    const auto groups = static_cast<i64>(rows.size());
    const std::vector<int> a = make_values(groups * room * k, 1);
    const std::vector<int> b = make_values(groups * n * k, 2);
    std::vector<int> filled;  // rows of A in use
    for (std::size_t group = 0; group < rows.size(); ++group) {
      const auto from = a.begin() + static_cast<i64>(group) * room * k;
      filled.insert(filled.end(), from, from + rows[group] * k);
    }
    const std::vector<unsigned short> sums = product(plain, rows, filled, b);
    std::vector<unsigned short> expected(static_cast<std::size_t>((groups * room + kGuardRows) * n),
                                         kUnwritten);
    auto from = sums.begin();
    for (std::size_t group = 0; group < rows.size(); ++group) {
      std::copy(from, from + rows[group] * n,
                expected.begin() + static_cast<i64>(group) * room * n);
      from += rows[group] * n;
    }
    for (const char* const text : kConfigs) {
      const std::string what = to_text(problem) + " " + text;
      const HangGuard guard(what);
      INFO(what);
      CHECK((run(text, problem, problem.groups->on_device(), a, b) == expected));
    }
  }
}

TEST_CASE("Counts above a group's capacity are clamped", "[gpu]") {
  gpu_or_skip();
  const GemmProblem problem =
      in_groups(grouped({1}, 136, 72, Layout::kTn), GroupRows::of({100, 100, 100}, 100));
  const std::vector<int> a = make_values(300 * 72, 1), b = make_values(3 * 136 * 72, 2);
  const std::vector<unsigned short> expected =
      product(grouped({100, 0, 100}, 136, 72, Layout::kTn), {100, 0, 100}, a, b);
  for (const char* const text : kConfigs) {
    const HangGuard guard(text);
    INFO(text);
    const std::vector<unsigned short> c = run(text, problem, {2000000000, -7, 101}, a, b);
    CHECK(std::equal(c.begin(), c.begin() + 100 * 136, expected.begin()));
    CHECK(std::all_of(c.begin() + 100 * 136, c.begin() + 200 * 136,
                      [](unsigned short bits) { return bits == kUnwritten; }));
    CHECK(std::all_of(c.begin() + 300 * 136, c.end(),
                      [](unsigned short bits) { return bits == kUnwritten; }));
  }
}

TEST_CASE("Invalid groups write nothing outside C", "[gpu]") {
  gpu_or_skip();
  const GemmProblem problem = grouped({100, 100, 100}, 136, 72, Layout::kTn);
  const std::vector<int> a = make_values(300 * 72, 1), b = make_values(3 * 136 * 72, 2);
  const std::vector<std::vector<i32>> lists{
      {200, 100, 300}, {-5, 2000000000, 300}, {300, 100, 0}, {7, 7, 7}};
  for (const std::vector<i32>& ends : lists) {
    for (const char* const text : kConfigs) {
      const HangGuard guard(text);
      INFO(text);
      const std::vector<unsigned short> c = run(text, problem, ends, a, b);
      CHECK(std::all_of(c.begin() + 300 * 136, c.end(),
                        [](unsigned short bits) { return bits == kUnwritten; }));
    }
  }
}

}  // namespace tilecast
