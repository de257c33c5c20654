#include "tests/random/random_problem.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "model/gemm/menu/random_problems.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

// Simulating a problem up to these sizes takes milliseconds.
constexpr DrawnSizes kSizes{1e6, 1e5, 5000, 1e14}, kSimulatedSizes{1e6, 1e5, 5000, 2e11};

struct TestedGpu {
  std::string_view name;
  bool calibrated;
};
constexpr TestedGpu kGpus[] = {{"h200_sxm", true},  {"h200_sxm", false}, {"h100_sxm", true},
                               {"h100_sxm", false}, {"h100_pcie", true}, {"h800_sxm", true},
                               {"b200", true},      {"gb200", true}};

const GpuSpec& gpu_at(std::size_t index) {
  static const std::vector<GpuSpec> gpus = [] {
    std::vector<GpuSpec> all;
    for (const auto& [name, calibrated] : kGpus) {
      all.push_back(load_gpu(name, calibrated).spec);
    }
    return all;
  }();
  return gpus[index];
}

/// Draws few tiles and a K so long that only a part is simulated.
GemmProblem random_long_k(Random& random) {
  return {{random.length(2000), random.length(2000), 65536 + 8 * random.length(2e6)},
          random.one_of({ElementType::kFp16, ElementType::kE4m3}),
          Layout::kTn};
}

StreamProblem random_stream(Random& random) {
  return {random.length(1e5), 8 * random.length(1e4),
          random.one_of({ElementType::kFp16, ElementType::kFp32}),
          random.one_of({Op::kMemcpy, Op::kElementwiseAdd})};
}

}  // namespace

Ranking RandomProblem::rank(std::size_t keep, Effort effort) const {
  effort.method = method;
  effort.threads = 1;  // problems run in parallel instead
  return rank_candidates(*gpu, problem, {}, regime, inputs, keep, effort);
}

RandomProblem RandomProblem::with(const AnyProblem& other) const {
  RandomProblem changed = *this;
  changed.problem = other;
  return changed;
}

RandomProblem RandomProblem::with(const GemmShape& other) const {
  GemmProblem changed = *gemm();
  changed.shape = other;
  return with(changed);
}

bool RandomProblem::is_plain() const {
  return gemm() != nullptr && gemm()->batch.products == 1 && gemm()->groups == nullptr;
}

std::string RandomProblem::text() const {
  return fmt::format("seed {} problem {}: {} on {}{}, {}, {} inputs, {}", seed, number,
                     to_text(problem), gpu->name, gpu->learned ? " calibrated" : "",
                     to_text(regime), to_text(inputs), to_text(method));
}

RandomProblem random_problem(u64 seed, u64 number) {
  Random random(seed, number);
  const bool simulated = random.one_in(3);
  RandomProblem drawn{
      seed,
      number,
      &gpu_at(static_cast<std::size_t>(random.between(0, std::size(kGpus) - 1))),
      {},
      random.one_of({Regime::kBurst, Regime::kSustained}),
      random.one_of({Inputs::kNormal, Inputs::kNormal, Inputs::kZeros, Inputs::kTernary}),
      simulated ? Method::kSimulated : Method::kAnalytic};
  if (drawn.gpu->stream && random.one_in(12)) {
    drawn.problem = random_stream(random);
    drawn.method = Method::kAnalytic;
  } else if (simulated && random.one_in(8)) {
    drawn.problem = random_long_k(random);
  } else {
    drawn.problem = random_gemm(*drawn.gpu, random, simulated ? kSimulatedSizes : kSizes);
  }
  return drawn;
}

RandomProblem plain_problem(const GemmShape& shape, std::string_view gpu) {
  const auto found = std::ranges::find(kGpus, gpu, &TestedGpu::name);  // calibrated GPUs come first
  return {0,
          0,
          &gpu_at(static_cast<std::size_t>(found - std::begin(kGpus))),
          GemmProblem{shape, ElementType::kFp16, Layout::kTn},
          Regime::kBurst,
          Inputs::kNormal,
          Method::kSimulated};
}

}  // namespace tilecast
