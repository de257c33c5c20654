// Kernels with groups along K on the device: against exact integer sums, with NaN and infinities in
// neighbouring groups, and with invalid lists.
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
    "warp_specialized:tile=128x256x64,stages=3,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=3,walk=chunked",
    "warp_specialized:tile=64x128x32,stages=4,warpgroups=1x1,cluster=1x2,ctas=1,inflight=0,"
    "c_slots=1,producer=40,grid=resident,raster=hilbert,group=1,walk=strided",
    "warp_specialized:tile=128x256x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=2,walk=strided,store=deferred",
    "ping_pong:tile=64x64x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_m,group=2,walk=strided",
    "ping_pong:tile=128x128x128,stages=2,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_n,group=2,walk=chunked",
};
constexpr unsigned short kNan = 0x7e00;

GemmProblem groups_of(const std::vector<i64>& rows, i64 m, i64 n) {
  return in_groups_of_k({.shape = {m, n, 0}, .dtype = ElementType::kFp16, .layout = Layout::kNt},
                        rows);
}

/// Each group's C, from its rows of A and B: from the previous group's end to its own.
std::vector<unsigned short> product(i64 m, i64 n, const std::vector<i32>& ends,
                                    const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<unsigned short> c;
  std::vector<int> sums(static_cast<std::size_t>(m * n));
  i64 row = 0;
  for (const i32 end : ends) {
    std::ranges::fill(sums, 0);
    for (; row < end; ++row) {
      for (i64 i = 0; i < m; ++i) {
        for (i64 j = 0; j < n; ++j) {
          sums[static_cast<std::size_t>(i * n + j)] +=
              a[static_cast<std::size_t>(row * m + i)] * b[static_cast<std::size_t>(row * n + j)];
        }
      }
    }
    const std::vector<unsigned short> bits = as_fp16(sums);
    c.insert(c.end(), bits.begin(), bits.end());
  }
  c.resize(c.size() + static_cast<std::size_t>(kGuardRows * n), kUnwritten);
  return c;
}

void compile_all_configs() { compile_grouped(kConfigs, {ProblemKind::of(groups_of({1}, 8, 8))}); }

}  // namespace

TEST_CASE(
    "Kernels for groups along K compile without spills, and other schedules do not support them") {
  for (const char* const text : kConfigs) {
    INFO(text);
    const ProblemKind kind = ProblemKind::of(groups_of({1}, 8, 8));
    CHECK(compile_gemm(parse_kernel_config(text), kind, grouped_cache()).rejection == "");
  }
  const KernelConfig persistent = parse_kernel_config(
      "persistent:tile=128x128x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
      "raster=grouped_m,group=4,walk=strided");
  CHECK_THROWS_AS(gemm_source(persistent, ProblemKind::of(groups_of({1}, 8, 8))), ConfigError);
}

TEST_CASE("Groups along K of any size are correct, and an empty group's C is zero", "[gpu]") {
  gpu_or_skip();
  compile_all_configs();
  std::mt19937 random(daily_seed("groups along K"));
  std::vector<std::vector<i64>> drawn{{256, 0, 17}, {0, 0, 5}, {130, 0}, {64, 64, 64}, {1}};
  for (int i = 0; i < 15; ++i) {
    drawn.push_back(random_rows(random, 40, 200));
  }
  for (const std::vector<i64>& rows : drawn) {
    const i64 m = 8 * (1 + static_cast<i64>(random() % 30));
    const i64 n = 8 * (1 + static_cast<i64>(random() % 30));
    const GemmProblem problem = groups_of(rows, m, n);
    const i64 k = problem.shape.k;
    const std::vector<int> a = make_values(k * m, 1), b = make_values(k * n, 2);
    const std::vector<i32> ends = problem.groups->on_device();
    const std::vector<unsigned short> expected = product(m, n, ends, a, b);
    const std::vector<unsigned short> a_bits = as_fp16(a), b_bits = as_fp16(b);
    for (const char* const text : kConfigs) {
      const std::string what = to_text(problem) + " " + text;
      const HangGuard guard(what);
      INFO(what);
      CHECK((run_grouped(parse_kernel_config(text), problem, ends, a_bits, b_bits) == expected));
    }
  }
}

TEST_CASE("NaN and infinity in a group stay in its own C", "[gpu]") {
  gpu_or_skip();
  compile_all_configs();
  const std::vector<i64> rows{70, 33, 1, 90};
  const i64 m = 136, n = 72;
  const GemmProblem problem = groups_of(rows, m, n);
  const std::vector<i32> ends = problem.groups->on_device();
  const std::vector<int> a = make_values(problem.shape.k * m, 1);
  const std::vector<int> b = make_values(problem.shape.k * n, 2);
  const std::vector<unsigned short> expected = product(m, n, ends, a, b);
  for (const unsigned short poison : {kNan, kUnwritten}) {
    std::vector<unsigned short> a_bits = as_fp16(a), b_bits = as_fp16(b);
    std::fill(a_bits.begin() + ends[0] * m, a_bits.begin() + ends[1] * m, poison);  // group 1
    std::fill(b_bits.begin() + ends[0] * n, b_bits.begin() + ends[1] * n, poison);
    for (const char* const text : kConfigs) {
      const HangGuard guard(text);
      INFO(text);
      const std::vector<unsigned short> c =
          run_grouped(parse_kernel_config(text), problem, ends, a_bits, b_bits);
      for (const std::ptrdiff_t group : {0, 2, 3}) {
        CHECK(std::equal(expected.begin() + group * m * n, expected.begin() + (group + 1) * m * n,
                         c.begin() + group * m * n));
      }
    }
  }
}

TEST_CASE("Groups along K may have other sizes than the launch was planned for", "[gpu]") {
  gpu_or_skip();
  compile_all_configs();
  const GemmProblem problem = groups_of({75, 75, 75, 75}, 136, 72);
  const std::vector<int> a = make_values(300 * 136, 1), b = make_values(300 * 72, 2);
  const std::vector<i32> ends{0, 211, 212, 290};  // rows after the last group are unused
  const std::vector<unsigned short> expected = product(136, 72, ends, a, b);
  for (const char* const text : kConfigs) {
    const HangGuard guard(text);
    INFO(text);
    CHECK((run_grouped(parse_kernel_config(text), problem, ends, as_fp16(a), as_fp16(b)) ==
           expected));
  }
}

TEST_CASE("Invalid groups along K access nothing outside A, B and C", "[gpu]") {
  gpu_or_skip();
  compile_all_configs();
  std::mt19937 random(daily_seed("groups along K that make no sense"));
  const GemmProblem problem = groups_of({100, 100, 100}, 136, 72);
  const std::vector<int> a = make_values(300 * 136, 1), b = make_values(300 * 72, 2);
  std::vector<std::vector<i32>> drawn{
      {200, 100, 300}, {-5, 2000000000, 300}, {300, 100, 0}, {7, 7, 7}};
  for (int i = 0; i < 4; ++i) {
    drawn.push_back(
        {static_cast<i32>(random()), static_cast<i32>(random() % 400), static_cast<i32>(random())});
  }
  for (const std::vector<i32>& ends : drawn) {
    for (const char* const text : kConfigs) {
      const HangGuard guard(text);
      INFO(text);
      const std::vector<unsigned short> c =
          run_grouped(parse_kernel_config(text), problem, ends, as_fp16(a), as_fp16(b));
      CHECK(std::all_of(c.end() - kGuardRows * problem.shape.n, c.end(),
                        [](unsigned short bits) { return bits == kUnwritten; }));
    }
  }
}

}  // namespace tilecast
