// Compares grouped kernels on the device (packed, masked, along K) with exact integer sums. Half of
// the lists of sizes are invalid: ends out of order, negative, far beyond all rows, counts above
// the capacity. Each list has its own buffers of minimal size, for runs under compute-sanitizer:
// TILECAST_GROUP_LISTS=2000. No list changes memory after C.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/group_checker.h"
#include "kernels/registry.h"
#include "model/gemm/problem/group_rows.h"
#include "model/ops/any_op.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "tests/seed.h"
#include "tests/temporary_folder.h"
#include "tests/whole_numbers.h"

namespace tilecast {
namespace {

constexpr int kUsualLists = 120;
constexpr std::size_t kGuardElements = 2048;  // guard elements after C

constexpr const char* kConfigs[] = {
    "ws 128x128x64 s4 w2x1 c1x1 o1 i1 e2 m4", "ws 128x256x64 s3 w2x1 c2x1 o1 i1 e2 n3k",
    "ws 64x128x32 s4 w1x1 c1x2 o1 i0 e1 h",   "ws 128x256x64 s3 w2x1 c1x1 o1 i1 e2d m2",
    "pp 64x64x64 s4 w1x1 c1x1 o1 i1 e1 m2",   "pp 128x128x64 s4 w1x1 c2x1 o1 i1 e2 n2k",
};

struct List {
  GemmProblem problem;       // problem with the planned groups
  std::vector<i32> numbers;  // group numbers in device memory
  bool makes_sense;
};

bool masked(const List& list) { return list.problem.groups->capacity() > 0; }

/// Checks the contract of check_groups.cu on the host.
bool each_can_be(const List& list) {
  const GemmProblem& problem = list.problem;
  const i64 capacity = problem.groups->capacity();
  const i64 all = grouped_along_k(problem) ? problem.shape.k : rows_in_memory(problem);
  i64 least = 0;
  for (const i32 number : list.numbers) {
    if (number < least || number > (capacity > 0 ? capacity : all)) {
      return false;
    }
    least = capacity > 0 ? 0 : number;
  }
  return true;
}

GemmProblem grouped(GroupSide side, const std::vector<i64>& rows, i64 m_or_k, i64 n, i64 room = 0) {
  return in_groups({.shape = {m_or_k, n, m_or_k},
                    .dtype = ElementType::kFp16,
                    .layout = side == GroupSide::kK ? Layout::kNt : Layout::kTn},
                   GroupRows::of(rows, room, side));
}

List draw_list(GroupSide side, std::mt19937& random) {
  const std::size_t groups = 1 + random() % 12;
  std::vector<i64> rows(groups);
  std::generate(rows.begin(), rows.end(),
                [&] { return random() % 3 == 0 ? 0 : static_cast<i64>(random() % 200); });
  rows[random() % groups] += 1;
  const i64 room = side == GroupSide::kM && random() % 3 == 0
                       ? std::ranges::max(rows) + static_cast<i64>(random() % 20)
                       : 0;
  const i64 n = 8 * (1 + static_cast<i64>(random() % 30));
  const i64 other = 8 * (1 + static_cast<i64>(random() % 20));
  List list{grouped(side, rows, other, n, room), {}, random() % 2 == 0};
  list.numbers = list.problem.groups->on_device();
  for (std::size_t wrong = random() % groups; !list.makes_sense && wrong < groups; wrong += 3) {
    const i32 far[] = {static_cast<i32>(random()), -1, 0x7fffffff, -0x7fffffff - 1,
                       static_cast<i32>(random() % 2000)};
    list.numbers[wrong] = far[random() % 5];
  }
  return list;
}

/// Counts of masked groups are clamped to the capacity.
std::vector<unsigned short> product(const List& list, const std::vector<int>& a,
                                    const std::vector<int>& b) {
  const GemmProblem& problem = list.problem;
  const auto& [m, n, k] = problem.shape;
  const GroupRows& groups = *problem.groups;
  const bool along_k = grouped_along_k(problem);
  const std::vector<i32> first = groups.first_rows();
  std::vector<unsigned short> c(
      static_cast<std::size_t>(matrices_of_c(problem) * rows_in_memory(problem) * n), kUnwritten);
  for (std::size_t group = 0; group < groups.rows().size(); ++group) {
    const i64 size = masked(list) ? std::clamp<i64>(list.numbers[group], 0, groups.capacity())
                                  : groups.rows()[group];
    const i64 rows = along_k ? m : size, depth = along_k ? size : k;
    const i64 begin = first[group], number = static_cast<i64>(group);
    for (i64 i = 0; i < rows; ++i) {
      for (i64 j = 0; j < n; ++j) {
        int sum = 0;
        for (i64 d = 0; d < depth; ++d) {
          sum += along_k ? a[static_cast<std::size_t>((begin + d) * m + i)] *
                               b[static_cast<std::size_t>((begin + d) * n + j)]
                         : a[static_cast<std::size_t>((begin + i) * k + d)] *
                               b[static_cast<std::size_t>((number * n + j) * k + d)];
        }
        const i64 row = along_k ? number * m + i : begin + i;
        c[static_cast<std::size_t>(row * n + j)] = fp16_bits(sum);
      }
    }
  }
  return c;
}

/// Shared by all tests, so that each kernel is compiled once.
CubinCache& cache() {
  static const TemporaryFolder folder;
  static CubinCache cache(folder / "cache");
  return cache;
}

LoadedKernel load(const char* text, GroupSide side) {
  const CompiledKernel compiled =
      compile_gemm(gemm_config(text), ProblemKind::of(grouped(side, {1}, 8, 8)), cache());
  REQUIRE(compiled.rejection == "");
  return LoadedKernel(compiled.cubin, kGemmEntry);
}

std::vector<int> values_of_a(const GemmProblem& p) {
  return make_values(matrices_of_a(p) * rows_in_memory(p) * p.shape.k, 1);
}
std::vector<int> values_of_b(const GemmProblem& p) {
  return make_values(matrices_of_b(p) * p.shape.n * p.shape.k, 2);
}

/// Returns C and the kGuardElements after it. If `check` is set, also compares the group checker's
/// result.
std::vector<unsigned short> run(LoadedKernel& kernel, const char* text, const List& list,
                                const std::vector<unsigned short>& a,
                                const std::vector<unsigned short>& b, bool check = false) {
  const GemmProblem& problem = list.problem;
  const auto elements =
      static_cast<std::size_t>(matrices_of_c(problem) * rows_in_memory(problem) * problem.shape.n) +
      kGuardElements;
  DeviceArray a_device(a.size() * 2), b_device(b.size() * 2), c_device(elements * 2),
      numbers(list.numbers.size() * sizeof(i32));
  a_device.fill(a);
  b_device.fill(b);
  c_device.fill(std::vector<unsigned short>(elements, kUnwritten));
  numbers.fill(list.numbers);
  const auto* const on_device = static_cast<const i32*>(numbers.get());
  const GemmLaunch launch(kernel, problem, gemm_config(text));
  launch.launch(
      launch.bind(
          {.a = a_device.get(), .b = b_device.get(), .c = c_device.get(), .group_rows = on_device}),
      nullptr);
  TILECAST_CUDA(cudaDeviceSynchronize());
  if (check) {
    CHECK(GroupChecker(cache(), problem).why_wrong(on_device, nullptr).empty() ==
          each_can_be(list));
  }
  return c_device.read<unsigned short>(elements);
}

}  // namespace

TEST_CASE("Grouped kernels compile without spills, and other schedules do not support groups") {
  const KernelConfig persistent = gemm_config("pe 128x128x64 s3 w2x1 c1x1 o1 i1 e2 m4");
  Turns turns("grouped kernels that are compiled", 3);
  for (const GroupSide side : {GroupSide::kM, GroupSide::kK}) {
    const ProblemKind kind = ProblemKind::of(grouped(side, {1}, 8, 8));
    for (const char* const text : kConfigs) {
      INFO(text);
      CHECK((!turns.due() || compile_gemm(gemm_config(text), kind, cache()).rejection == ""));
    }
    CHECK_THROWS_AS(gemm_source(persistent, kind), ConfigError);
  }
}

TEST_CASE("Groups of any size are correct, and no list of sizes changes memory outside C",
          "[gpu]") {
  gpu_or_skip();
  const char* const given = std::getenv("TILECAST_GROUP_LISTS");
  const int lists = given == nullptr ? kUsualLists : std::atoi(given);
  REQUIRE(lists >= 12);
  std::mt19937 random(daily_seed("lists of groups"));
  for (const GroupSide side : {GroupSide::kM, GroupSide::kK}) {
    for (const char* const text : kConfigs) {
      LoadedKernel kernel = load(text, side);
      for (int i = 0; i < lists / 12; ++i) {
        const List list = draw_list(side, random);
        const std::string what = to_text(list.problem) + " " + text;
        const HangGuard guard(what);
        INFO(what);
        const std::vector<int> a = values_of_a(list.problem), b = values_of_b(list.problem);
        const std::vector<unsigned short> expected = product(list, a, b);
        const std::vector<unsigned short> c =
            run(kernel, text, list, as_fp16(a), as_fp16(b), i == 0);
        CHECK(((!list.makes_sense && !masked(list)) ||
               std::equal(expected.begin(), expected.end(), c.begin())));
        CHECK(std::all_of(c.end() - kGuardElements, c.end(),
                          [](unsigned short bits) { return bits == kUnwritten; }));
      }
    }
  }
}

TEST_CASE("NaN and infinity in a group along K stay in its own C", "[gpu]") {
  gpu_or_skip();
  const i64 m = 136, n = 72;
  List list{grouped(GroupSide::kK, {70, 33, 1, 90}, m, n), {}, true};
  list.numbers = list.problem.groups->on_device();
  const std::vector<int> a = values_of_a(list.problem), b = values_of_b(list.problem);
  const std::vector<unsigned short> expected = product(list, a, b);
  constexpr unsigned short kNan = 0x7e00, kInfinity = 0x7c00;
  for (const unsigned short poison : {kNan, kInfinity}) {
    std::vector<unsigned short> a_bits = as_fp16(a), b_bits = as_fp16(b);
    std::fill(a_bits.begin() + 70 * m, a_bits.begin() + 103 * m, poison);  // group 1
    std::fill(b_bits.begin() + 70 * n, b_bits.begin() + 103 * n, poison);
    for (const char* const text : kConfigs) {
      const HangGuard guard(text);
      INFO(text);
      LoadedKernel kernel = load(text, GroupSide::kK);
      const std::vector<unsigned short> c = run(kernel, text, list, a_bits, b_bits);
      for (const std::ptrdiff_t group : {0, 2, 3}) {
        CHECK(std::equal(expected.begin() + group * m * n, expected.begin() + (group + 1) * m * n,
                         c.begin() + group * m * n));
      }
    }
  }
}

}  // namespace tilecast
