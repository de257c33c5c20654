// Batches on the device: random products, sharing and configurations against cuBLASLt's strided
// batch, itself checked against fp64; and that the kernels walk the products' tiles as the model
// does.

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/base/math.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr int kProblems = 40;
constexpr int kFewestPairs = 250;

GemmProblem random_batch(int index, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  const ElementType dtype = drawn_type(index);
  const Layout layout = is_fp8(dtype) ? Layout::kTn : kEveryLayout[index % 4];
  const i64 side = index % 4 == 0 ? 64 : index % 4 == 1 ? 1200 : 300;
  const auto in_rows = [&](bool along_k) {
    return along_k ? up_to(side) : round_up<i64>(up_to(side), 8);
  };
  GemmProblem problem{
      .shape = {in_rows(a_is_k_major(layout)), in_rows(b_is_k_major(layout)),
                16 * up_to(side == 1200 ? 60 : 25)},
      .dtype = dtype,
      .layout = layout,
      .batch = {1 + up_to(side == 1200 ? 7 : 70), random() % 4 == 0, random() % 4 == 0}};
  if (index % 5 == 0) {
    problem.epilogue = {random() % 2 == 0 ? step<BiasN>() : step<BiasM>(), step<Gelu>()};
  }
  return problem;
}

/// One candidate of each schedule that has any.
std::vector<KernelConfig> drawn_configs(const GpuSpec& gpu, const GemmProblem& problem,
                                        std::mt19937& random) {
  std::vector<KernelConfig> drawn;
  for (const Schedule schedule : kWgmmaSchedules) {
    const auto legal = enumerate_candidates(gpu, problem, {schedule}).legal;
    draw_one(legal, random, drawn);
  }
  return drawn;
}

}  // namespace

TEST_CASE("Random batches are right, and walked in the model's order", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("random batches"));
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  std::vector<Drawn> drawn;
  for (int i = 0; i < kProblems; ++i) {
    const GemmProblem problem = random_batch(i, random);
    drawn.push_back({problem, drawn_configs(gpu, problem, random)});
  }
  int pairs = 0;
  std::map<Schedule, int> of_schedule = check_walked(bench, drawn);
  for (const Schedule schedule : kWgmmaSchedules) {
    std::printf("  %s: %d\n", std::string(to_text(schedule)).c_str(), of_schedule[schedule]);
    pairs += of_schedule[schedule];
    CHECK(of_schedule[schedule] >= (schedule == Schedule::kSmallMma ? 0
                                    : splits_k(schedule)            ? 1  // few tiles, long K
                                                                    : kProblems / 2));
  }
  std::printf("%d pairs of batch and configuration checked\n", pairs);
  CHECK(pairs >= kFewestPairs);
}
