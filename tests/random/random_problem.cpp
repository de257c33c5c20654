#include "tests/random/random_problem.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/base/math.h"
#include "model/predict/legality.h"
#include "model/spec/load_gpu.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/group_rows.h"

namespace tilecast {
namespace {

constexpr double kMostFlops = 1e14;
constexpr double kMostSimulated = 2e11;  // FLOPs; each simulation of less takes milliseconds

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

/// A vocabulary's columns now and then.
GemmShape random_shape(Random& random, double most_flops) {
  for (;;) {
    GemmShape shape{random.side(1e6), random.side(1e6), random.side(1e5)};
    if (random.one_in(5)) {
      shape.n = random.one_of<i64>({32000, 50257, 128256, 128257, 151936});
    }
    if (!random.one_in(4)) {
      shape.k = round_up<i64>(shape.k, 8);
    }
    if (gemm_flops(shape) <= most_flops) {
      return shape;
    }
  }
}

std::vector<i64> random_rows(Random& random, double most) {
  std::vector<i64> rows(static_cast<std::size_t>(random.side(64)));
  for (i64& own : rows) {
    own = random.one_in(5) ? 0 : random.side(most);
  }
  return rows;
}

Epilogue random_epilogue(Random& random, const GemmProblem& problem) {
  Epilogue epilogue{};
  epilogue.bias = random.one_of({Bias::kNone, Bias::kPerRow, Bias::kPerColumn});
  epilogue.activation = random.one_of({Activation::kNone, Activation::kRelu, Activation::kGelu,
                                       Activation::kSilu, Activation::kSwiglu});
  epilogue.residual = random.one_in(3);
  if (is_fp8(problem.dtype)) {
    epilogue.scales = random.one_of({Scales::kNone, Scales::kTensor, Scales::kRow, Scales::kBlock});
  }
  return epilogue;
}

GemmProblem random_gemm(Random& random, double most_flops) {
  GemmProblem problem{random_shape(random, most_flops),
                      random.one_of({ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3,
                                     ElementType::kE5m2}),
                      random.one_of({Layout::kTn, Layout::kNn, Layout::kNt, Layout::kTt})};
  if (is_fp8(problem.dtype)) {
    problem.layout = Layout::kTn;
    problem.accumulate = random.one_of({Accumulate::kFast, Accumulate::kExact});
  }
  if (random.one_in(3)) {
    problem.epilogue = random_epilogue(random, problem);
    if (has_block_scales(problem.epilogue)) {
      problem.accumulate = Accumulate::kFast;  // by which nothing is chosen
    }
  }
  switch (random.index(6)) {
    case 0:
      problem.batch.products = random.side(200);
      break;
    case 1:
      return in_groups(problem, random_rows(random, 5000));
    case 2:
      problem.layout = Layout::kNt;
      return in_groups_of_k(problem, random_rows(random, 5000));
    default:
      break;
  }
  return problem;
}

/// Few tiles of a K so long that it is simulated in part.
GemmProblem random_long_k(Random& random) {
  return {{random.side(2000), random.side(2000), 65536 + 8 * random.side(2e6)},
          random.one_of({ElementType::kFp16, ElementType::kE4m3}),
          Layout::kTn};
}

StreamProblem random_stream(Random& random) {
  return {random.side(1e5), 8 * random.side(1e4),
          random.one_of({ElementType::kFp16, ElementType::kFp32}),
          random.one_of({Op::kMemcpy, Op::kElementwiseAdd})};
}

bool solvable(const GpuSpec& gpu, const GemmProblem& problem) {
  return why_not_solvable(gpu, problem).empty();
}

}  // namespace

Random::Random(u64 seed, u64 number) {
  std::seed_seq sequence{seed, seed >> 32, number, number >> 32};
  engine_.seed(sequence);
}

i64 Random::side(double most) {
  return static_cast<i64>(
      std::exp(std::uniform_real_distribution<double>(0, std::log(most))(engine_)));
}
bool Random::one_in(int count) { return index(static_cast<std::size_t>(count)) == 0; }
std::size_t Random::index(std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
}

Ranking RandomProblem::rank(std::size_t keep, Effort effort) const {
  effort.method = method;
  effort.threads = 1;  // problems run beside each other
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
      &gpu_at(random.index(std::size(kGpus))),
      {},
      random.one_of({Regime::kBurst, Regime::kSustained}),
      random.one_of({Inputs::kNormal, Inputs::kNormal, Inputs::kZeros, Inputs::kTernary}),
      simulated ? Method::kSimulated : Method::kAnalytic};
  if (drawn.gpu->stream && random.one_in(12)) {
    drawn.problem = random_stream(random);
    drawn.method = Method::kAnalytic;
    return drawn;
  }
  const bool long_k = simulated && random.one_in(8);
  const double most = simulated && !long_k ? kMostSimulated : kMostFlops;
  GemmProblem gemm{};
  do {
    gemm = long_k ? random_long_k(random) : random_gemm(random, most);
  } while (gemm_flops(gemm) > most || !solvable(*drawn.gpu, gemm));
  drawn.problem = gemm;
  return drawn;
}

RandomProblem plain_problem(const GemmShape& shape, std::string_view gpu) {
  const auto found = std::ranges::find(kGpus, gpu, &TestedGpu::name);  // calibrated ones come first
  return {0,
          0,
          &gpu_at(static_cast<std::size_t>(found - std::begin(kGpus))),
          GemmProblem{shape, ElementType::kFp16, Layout::kTn},
          Regime::kBurst,
          Inputs::kNormal,
          Method::kSimulated};
}

}  // namespace tilecast
