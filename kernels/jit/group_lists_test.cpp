// Lists of group sizes on the device, half of them invalid: ends out of order, negative, far beyond
// all rows, counts above the capacity. Each has its own buffers of minimal size, for runs under
// compute-sanitizer: TILECAST_GROUP_LISTS=2000. Valid lists give exact results, and no list changes
// memory after C.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/group_checker.h"
#include "kernels/registry.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/ops/any_op.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "tests/seed.h"
#include "tests/temporary_folder.h"
#include "tests/whole_numbers.h"

namespace tilecast {
namespace {

constexpr int kUsualLists = 60;
constexpr std::size_t kGuardElements = 2048;  // after C

constexpr const char* kConfigs[] = {
    "warp_specialized:tile=128x128x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=2,walk=strided",
    "warp_specialized:tile=64x64x64,stages=4,warpgroups=1x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=1,producer=40,grid=resident,raster=grouped_n,group=2,walk=chunked",
    "ping_pong:tile=64x64x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_m,group=2,walk=strided",
};

struct List {
  GemmProblem problem;       // with the planned groups
  std::vector<i32> numbers;  // in device memory
  bool makes_sense;
};

/// The contract of check_groups.cu, on the host.
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

List draw_list(GroupSide side, std::mt19937& random) {
  const std::size_t groups = 1 + random() % 12;
  std::vector<i64> rows(groups);
  std::generate(rows.begin(), rows.end(),
                [&] { return random() % 3 == 0 ? 0 : static_cast<i64>(random() % 90); });
  rows[random() % groups] += 1;
  const bool masked = side == GroupSide::kM && random() % 3 == 0;
  const i64 room = masked ? std::ranges::max(rows) + static_cast<i64>(random() % 20) : 0;
  const i64 n = 8 * (1 + static_cast<i64>(random() % 12));
  const i64 other = 8 * (1 + static_cast<i64>(random() % 12));
  const bool along_k = side == GroupSide::kK;
  List list{in_groups({.shape = {other, n, other},
                       .dtype = ElementType::kFp16,
                       .layout = along_k ? Layout::kNt : Layout::kTn},
                      GroupRows::of(rows, room, side)),
            {},
            random() % 2 == 0};
  list.numbers = list.problem.groups->on_device();
  for (std::size_t wrong = random() % groups; !list.makes_sense && wrong < groups; wrong += 3) {
    const i32 far[] = {static_cast<i32>(random()), -1, 0x7fffffff, -0x7fffffff - 1,
                       static_cast<i32>(random() % 2000)};
    list.numbers[wrong] = far[random() % 5];
  }
  return list;
}

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
    const i64 rows = along_k ? m : groups.rows()[group], begin = first[group];
    const i64 depth = along_k ? groups.rows()[group] : k, number = static_cast<i64>(group);
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

}  // namespace

TEST_CASE("No list of groups makes a kernel access memory outside its buffers", "[gpu]") {
  gpu_or_skip();
  const TemporaryFolder folder;
  CubinCache cache(folder / "cache");
  const char* const given = std::getenv("TILECAST_GROUP_LISTS");
  const int lists = given == nullptr ? kUsualLists : std::atoi(given);
  REQUIRE(lists >= 6);
  std::mt19937 random(daily_seed("lists of groups"));
  for (const GroupSide side : {GroupSide::kM, GroupSide::kK}) {
    for (const char* const text : kConfigs) {
      const KernelConfig config = parse_kernel_config(text);
      const CompiledKernel compiled =
          compile_gemm(config, ProblemKind::of(draw_list(side, random).problem), cache);
      REQUIRE(compiled.rejection == "");
      LoadedKernel kernel(compiled.cubin, kGemmEntry);
      for (int i = 0; i < lists / 6; ++i) {
        const List list = draw_list(side, random);
        const GemmProblem& problem = list.problem;
        const std::string what = to_text(problem) + " " + text;
        const HangGuard guard(what);
        INFO(what);
        const std::vector<int> a =
            make_values(matrices_of_a(problem) * rows_in_memory(problem) * problem.shape.k, 1);
        const std::vector<int> b =
            make_values(matrices_of_b(problem) * problem.shape.n * problem.shape.k, 2);
        const std::vector<unsigned short> expected = product(list, a, b);
        DeviceArray a_device(a.size() * 2), b_device(b.size() * 2),
            c_device((expected.size() + kGuardElements) * 2),
            numbers(list.numbers.size() * sizeof(i32));
        a_device.fill(as_fp16(a));
        b_device.fill(as_fp16(b));
        c_device.fill(std::vector<unsigned short>(expected.size() + kGuardElements, kUnwritten));
        numbers.fill(list.numbers);
        const auto* const on_device = static_cast<const i32*>(numbers.get());
        const GemmLaunch launch(kernel, problem, config);
        launch.launch(launch.bind({.a = a_device.get(),
                                   .b = b_device.get(),
                                   .c = c_device.get(),
                                   .group_rows = on_device}),
                      nullptr);
        TILECAST_CUDA(cudaDeviceSynchronize());
        const std::vector<unsigned short> c =
            c_device.read<unsigned short>(expected.size() + kGuardElements);
        CHECK((!list.makes_sense || std::equal(expected.begin(), expected.end(), c.begin())));
        CHECK(std::all_of(c.begin() + static_cast<std::ptrdiff_t>(expected.size()), c.end(),
                          [](unsigned short bits) { return bits == kUnwritten; }));
        if (i % 20 == 0) {  // loading a kernel each time is slow
          const bool said = !GroupChecker(cache, problem).why_wrong(on_device, nullptr).empty();
          CHECK(said == !each_can_be(list));
        }
      }
    }
  }
}

}  // namespace tilecast
