// Rows that begin anywhere and rows that are not tight, on the device: random problems and random
// kernels against cuBLASLt and fp64, numbers that nobody may read or write between the rows.

#include <cstdio>
#include <random>
#include <vector>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr int kProblems = 36;
constexpr int kFewestPairs = 120;

GemmProblem random_problem(int index, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  const ElementType dtype = drawn_type(index);
  const Layout layout = is_fp8(dtype) ? Layout::kTn : kEveryLayout[index % 4];
  GemmProblem problem{.shape = {up_to(index % 4 == 0 ? 40 : 600), up_to(700), up_to(2500)},
                      .dtype = dtype,
                      .layout = layout};
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

/// One kernel of each schedule.
std::vector<KernelConfig> drawn_configs(const GpuSpec& gpu, const GemmProblem& problem,
                                        std::mt19937& random) {
  std::vector<KernelConfig> drawn;
  for (const Schedule schedule : kWgmmaSchedules) {
    draw_one(enumerate_candidates(gpu, problem, {schedule}, true).legal, random, drawn);
  }
  return drawn;
}

}  // namespace

TEST_CASE("Random odd dimensions and leading dimensions are right", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("odd sides"));
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  std::vector<Drawn> drawn;
  for (int i = 0; i < kProblems; ++i) {
    const GemmProblem problem = random_problem(i, random);
    drawn.push_back({problem, drawn_configs(gpu, problem, random)});
  }
  int pairs = 0;
  for (const auto& [schedule, count] : check_walked(bench, drawn)) {
    pairs += count;
  }
  std::printf("%d pairs of problem and kernel checked\n", pairs);
  CHECK(pairs >= kFewestPairs);
}
