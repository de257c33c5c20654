// Random problems on random configurations: what the candidates propose for a shape, every schedule
// as often, is right on that shape and on others like it.

#include <cstdio>
#include <future>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/base/math.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr int kProblems = 60;
constexpr std::size_t kKinds = 8;  // of type and layout, in turn
constexpr int kFewestPairs = 500;

constexpr GemmProblem kKind[kKinds] = {
    {{}, ElementType::kFp16, Layout::kTn},
    {{}, ElementType::kBf16, Layout::kTn},
    {{}, ElementType::kFp16, Layout::kNn},
    {{}, ElementType::kBf16, Layout::kNn},
    {{}, ElementType::kFp16, Layout::kNt},
    {{}, ElementType::kBf16, Layout::kTt},
    {{}, ElementType::kE4m3, Layout::kTn},
    {{}, ElementType::kE5m2, Layout::kTn, {}, ElementType::kFp16}};

/// From tiny to a few thousand, and of no round size; only what legality asks of rows.
GemmProblem random_problem(std::size_t index, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  const i64 sides[] = {64, 64, 64, 300, 2500}, depths[] = {8, 8, 32, 64, 400};
  const std::size_t size = index * std::size(sides) / kProblems;
  GemmProblem problem = kKind[index % kKinds];
  const i64 m = up_to(sides[size]), n = up_to(sides[size]);
  problem.shape = {a_is_k_major(problem.layout) ? m : round_up<i64>(m, 8),
                   b_is_k_major(problem.layout) ? n : round_up<i64>(n, 8),
                   16 / element_bytes(problem.dtype) * up_to(depths[size])};
  return problem;
}

/// With candidates for the problem, as often of each schedule.
Drawn random_case(const GpuSpec& gpu, std::size_t index, unsigned seed) {
  std::seed_seq seeds{seed, static_cast<unsigned>(index)};
  std::mt19937 random(seeds);
  Drawn drawn{random_problem(index, random), {}};
  for (const Schedule schedule : kWgmmaSchedules) {
    const auto legal = enumerate_candidates(gpu, drawn.problem, {schedule}).legal;
    // Few problems are small enough for one MMA.
    const int draws = legal.empty() ? 0 : schedule == Schedule::kSmallMma ? 3 : 1;
    for (int i = 0; i < draws; ++i) {
      drawn.configs.push_back(legal[random() % legal.size()]);
    }
  }
  return drawn;
}

std::vector<Drawn> random_cases(const GpuSpec& gpu, unsigned seed) {
  std::vector<std::future<Drawn>> drawing;
  for (std::size_t i = 0; i < kProblems; ++i) {
    drawing.push_back(std::async(std::launch::async, random_case, std::cref(gpu), i, seed));
  }
  std::vector<Drawn> cases;
  for (std::future<Drawn>& one : drawing) {
    cases.push_back(one.get());
  }
  return cases;
}

}  // namespace

TEST_CASE("Random candidates are right on random shapes", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const unsigned seed = daily_seed("random problems and configurations");
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const std::vector<Drawn> cases = random_cases(gpu, seed);
  compile_all(bench, cases);

  int pairs = 0, rejected = 0;
  std::map<Schedule, int> of_schedule;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const GemmProblem& problem = cases[i].problem;
    bench.prepare(problem, Inputs::kNormal);
    // cuBLASLt has fp8 for some of these shapes and types only.
    const std::optional<Verdict> cublaslt =
        is_fp8(problem.dtype) ? std::nullopt : std::optional(bench.check_cublaslt());
    // Its own configurations, and those of the three cases of its kind before.
    for (std::size_t back = 0; back <= 3 * kKinds && back <= i; back += kKinds) {
      for (const KernelConfig& config : cases[i - back].configs) {
        if (check_legal(gpu, problem, config) != Refusal::kNone) {
          continue;
        }
        if (!compile_gemm(config, ProblemKind::of(problem), bench.cache).usable()) {
          ++rejected;
          continue;
        }
        check_gemm(bench, config, cublaslt ? &*cublaslt : nullptr);
        ++pairs;
        ++of_schedule[config.schedule];
      }
    }
  }
  std::printf("%d pairs of shape and configuration checked, %d with a rejected kernel\n", pairs,
              rejected);
  for (const Schedule schedule : kWgmmaSchedules) {
    std::printf("  %s: %d\n", std::string(to_text(schedule)).c_str(), of_schedule[schedule]);
    // Small problems and short K mostly have no candidates that split K.
    CHECK(of_schedule[schedule] >= (splits_k(schedule) ? kProblems / 8 : kProblems));
  }
  CHECK(pairs >= kFewestPairs);
  CHECK(rejected * 50 <= pairs);  // or the table of rejections is out of date
}
