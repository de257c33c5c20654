// Kernels with swapped operands on the device: random problems of few rows and random kernels
// against cuBLASLt and fp64, and that they walk the transposed problem's tiles.

#include <cstdio>
#include <random>
#include <vector>

#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr int kProblems = 24;
constexpr int kFewestPairs = 100;

GemmProblem random_problem(int index, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  const ElementType dtype = drawn_type(index);
  const i64 most_rows = index % 4 == 0 ? 24 : index % 4 == 1 ? 600 : 260;
  return {.shape = {up_to(most_rows), 8 * up_to(index % 2 == 0 ? 40 : 1500), 16 * up_to(300)},
          .dtype = dtype,
          .layout = index % 3 == 0 ? Layout::kNn : Layout::kTn};
}

/// One kernel of each schedule that swaps operands.
std::vector<KernelConfig> drawn_configs(const GpuSpec& gpu, const GemmProblem& problem,
                                        std::mt19937& random) {
  std::vector<KernelConfig> drawn;
  for (const Schedule schedule : kWgmmaSchedules) {
    if (!has_ring(schedule)) {
      continue;
    }
    std::vector<KernelConfig> legal = enumerate_candidates(gpu, problem, {schedule}, true).legal;
    std::erase_if(legal,
                  [](const KernelConfig& c) { return c.operands != OperandOrder::kSwapped; });
    draw_one(legal, random, drawn);
  }
  return drawn;
}

}  // namespace

TEST_CASE("Swapped operands of random problems are right, and walked in the model's order",
          "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("swapped operands"));
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
